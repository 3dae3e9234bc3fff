//! `ingressroute/healthcheck`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::IngressRouteParts;

pub static CHECK: Check = Check {
    id: "ingressroute/healthcheck",
    page: include_str!("healthcheck.md"),
    run: Run::IngressRouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, health) in route.health_checks() {
        match &*health.path {
            "" => {
                found.required(at.then("healthCheck.path"), "a health check needs the path that it asks for");
            }
            path if !path.starts_with('/') => {
                found.invalid(at.then("healthCheck.path"), path, "`{}` must start with `/`: no path starts otherwise");
            }
            _ => {}
        }
        let numbers = [
            ("healthCheck.intervalSeconds", health.interval_seconds),
            ("healthCheck.timeoutSeconds", health.timeout_seconds),
            ("healthCheck.unhealthyThresholdCount", health.unhealthy_threshold_count),
            ("healthCheck.healthyThresholdCount", health.healthy_threshold_count),
        ];
        for (name, number) in numbers {
            if let Some(number) = number.filter(|number| *number < 0) {
                found.invalid(at.then(name), &number.to_string(), "{} is below 0; 0, like none, means the default");
            }
        }
        let host = health.host.as_deref().unwrap_or_default();
        if host.contains(|character: char| character.is_control() || character.is_whitespace()) {
            found.invalid(at.then("healthCheck.host"), host, "`{}` holds white space, which no Host header does");
        }
    }
}
