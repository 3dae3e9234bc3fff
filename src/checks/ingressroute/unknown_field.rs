//! `ingressroute/unknown-field`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::{At, FieldPath};
use crate::finding::Findings;
use crate::kinds::Present;
use crate::kinds::walk::{self, IngressRouteParts};

pub static CHECK: Check = Check {
    id: "ingressroute/unknown-field",
    page: include_str!("unknown_field.md"),
    run: Run::IngressRouteParts(check),
    ..Check::shape(Actions::WARN)
};

/// Names that were written for a field, each with the field.
const HEALTH_SAMPLE: (&str, &str) = ("healthCheck (Optional)", "healthCheck");
const HEALTH_DRAFT: (&str, &str) = ("lbHealthCheck", "healthCheck");
const STRATEGY: (&str, &str) = ("lbAlgorithm", "strategy");
const WEIGHT: (&str, &str) = ("weights", "weight");
const INSECURE: (&str, &str) = ("enforceTLS", "permitInsecure");

fn check(route: &IngressRouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let mut tell = |at: At, present: Present, (written, canonical): (&'static str, &str)| {
        if present.0 {
            let sentence = "`{}` is no field and is ignored: what was meant is `{}`";
            found.invalid(address(at, written), written, sentence).shown([written, canonical]);
        }
    };
    let (at, spec) = (At::field("spec"), &route.spec);
    tell(at, spec.health_check_optional, HEALTH_SAMPLE);
    tell(at, spec.lb_health_check, HEALTH_DRAFT);
    tell(at, spec.lb_algorithm, STRATEGY);
    for (at, path) in walk::ingress_route::routes(route) {
        tell(at, path.enforce_tls, INSECURE);
    }
    for (at, service) in route.services() {
        tell(at, service.health_check_optional, HEALTH_SAMPLE);
        tell(at, service.lb_health_check, HEALTH_DRAFT);
        tell(at, service.lb_algorithm, STRATEGY);
        tell(at, service.weights, WEIGHT);
    }
}

/// The address of a field that no schema has, written as that of any other.
fn address(at: At, name: &'static str) -> FieldPath {
    FieldPath::from(at).member(name)
}
