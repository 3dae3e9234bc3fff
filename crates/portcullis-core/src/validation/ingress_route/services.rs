//! The rules for the services of an IngressRoute, and for the fields that are wrong names of theirs.

use std::iter;

use hashbrown::HashSet;

use crate::field::{At, FieldPath};
use crate::finding::Findings;
use crate::kinds::ingress_route::STRATEGIES;
use crate::kinds::walk::{IngressRouteParts, ingress_route as walk};
use crate::kinds::{IngressRoute, Present};
use crate::validation::validators as must;

pub(super) fn strategy(route: &IngressRouteParts<'_, '_>, found: &mut Findings<'_>) {
    let strategies = || route.strategies().map(|(at, strategy)| (at.child("strategy"), &**strategy));
    let is_dropped = |strategy: &str| matches!(strategy, "RingHash" | "Maglev");
    let template = "Contour no longer supports `{}`: use Cookie for session affinity";
    found.each(strategies().filter(|(_, strategy)| is_dropped(strategy)), must::one_of(&[], template));
    let template = "`{}` is not supported: use RoundRobin, WeightedLeastRequest, Random or Cookie";
    found.each(strategies().filter(|(_, strategy)| !is_dropped(strategy)), must::one_of(&STRATEGIES, template));
}

pub(super) fn health_check(route: &IngressRouteParts<'_, '_>, found: &mut Findings<'_>) {
    for (at, health) in route.health_checks() {
        let path = || iter::once((at.child("healthCheck.path"), &*health.path));
        found.each(path(), must::be_set("the path of the health check is required, such as /healthz"));
        found.each(path(), must::absolute_path);
        let numbers = [
            ("healthCheck.intervalSeconds", health.interval_seconds),
            ("healthCheck.timeoutSeconds", health.timeout_seconds),
            ("healthCheck.unhealthyThresholdCount", health.unhealthy_threshold_count),
            ("healthCheck.healthyThresholdCount", health.healthy_threshold_count),
        ];
        let set_numbers = numbers.into_iter().filter_map(|(name, number)| Some((at.child(name), number?)));
        found.each(set_numbers, must::not_be_negative);
        let host = health.host.as_deref().unwrap_or_default();
        found.each(iter::once((at.child("healthCheck.host"), host)), must::have_no_white_space);
    }
}

pub(super) fn service_spelling(route: &IngressRoute<'_>, found: &mut Findings<'_>) {
    for (at, path) in walk::routes(route) {
        if path.is_spelt_twice() {
            found.invalid(at, path.prefix(), "route `{}` has both `services` and `service`: keep only `services`");
        } else if path.service.is_some() {
            let template =
                "`service` counts as `services` here, but Contour reads only `services`: rename it to a list";
            found.not_supported(at.then("service"), "service", template).only_warns();
        }
    }
}

pub(super) fn service_ref(route: &IngressRouteParts<'_, '_>, found: &mut Findings<'_>) {
    let names = || route.services().map(|(at, service)| (at.child("name"), &*service.name));
    found.each(names(), must::be_set("the name of a Service is required"));
    found.each(names(), must::dns_label);
}

pub(super) fn port_range(route: &IngressRouteParts<'_, '_>, found: &mut Findings<'_>) {
    let ports = route.services().map(|(at, service)| (at.child("port"), service.port));
    found.each(ports, must::be_a_port("the port number of the Service is required"));
}

pub(super) fn weight_range(route: &IngressRoute<'_>, found: &mut Findings<'_>) {
    for list in walk::service_lists(route) {
        let weights =
            || list.services.iter().enumerate().filter_map(|(object_ref, service)| Some((object_ref, service.weight?)));
        found.each(
            weights().map(|(object_ref, weight)| (list.element(object_ref).child("weight"), weight)),
            must::not_be_negative,
        );
        let sum = weights().fold(0_i64, |sum, (_, weight)| sum.saturating_add(weight.max(0)));
        if sum > i64::from(u32::MAX) {
            found.invalid(list.at(), &sum.to_string(), "the sum of the weights is {}; it must be at most 4294967295");
        }
    }
}

pub(super) fn service_duplicate(route: &IngressRoute<'_>, found: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    for (number, list) in walk::service_lists(route).enumerate() {
        for (position, service) in list.services.iter().enumerate().filter(|(_, service)| !service.name.is_empty()) {
            if !seen.insert((number, &*service.name, service.port)) {
                let port = service.port.unwrap_or_default();
                let value = format!("{}:{port}", service.name);
                found.duplicate(list.element(position), &value, "{} is listed twice in this route: use one entry");
            }
        }
    }
}

pub(super) fn weight_mixed(route: &IngressRoute<'_>, found: &mut Findings<'_>) {
    for list in walk::service_lists(route).filter(|list| list.services.len() > 1) {
        let weights = || list.services.iter().map(|service| service.weight);
        if weights().all(|weight| weight == Some(0)) {
            found.invalid(list.at(), "0", "every weight is {}: requests are spread evenly, not stopped");
        } else if weights().flatten().any(|weight| weight != 0) {
            for (position, service) in list.services.iter().enumerate().filter(|(_, service)| service.weight.is_none())
            {
                let template = "`{}` has no weight but other services of the route do, so it receives no requests";
                found.invalid(list.element(position).then("weight"), &service.name, template);
            }
        }
    }
}

/// Wrong field names that users write, each with the correct name.
const HEALTH_SAMPLE: (&str, &str) = ("healthCheck (Optional)", "healthCheck");
const HEALTH_DRAFT: (&str, &str) = ("lbHealthCheck", "healthCheck");
const STRATEGY: (&str, &str) = ("lbAlgorithm", "strategy");
const WEIGHT: (&str, &str) = ("weights", "weight");
const INSECURE: (&str, &str) = ("enforceTLS", "permitInsecure");

pub(super) fn unknown_field(route: &IngressRouteParts<'_, '_>, found: &mut Findings<'_>) {
    let mut report = |at: At, present: Present, (written, canonical): (&'static str, &str)| {
        if present.0 {
            let template = "unknown field `{}` is ignored; did you mean `{}`?";
            found.invalid(FieldPath::from(at).member(written), written, template).args([written, canonical]);
        }
    };
    let (at, spec) = (At::field("spec"), &route.spec);
    report(at, spec.health_check_optional, HEALTH_SAMPLE);
    report(at, spec.lb_health_check, HEALTH_DRAFT);
    report(at, spec.lb_algorithm, STRATEGY);
    for (at, path) in walk::routes(route) {
        report(at, path.enforce_tls, INSECURE);
    }
    for (at, service) in route.services() {
        report(at, service.health_check_optional, HEALTH_SAMPLE);
        report(at, service.lb_health_check, HEALTH_DRAFT);
        report(at, service.lb_algorithm, STRATEGY);
        report(at, service.weights, WEIGHT);
    }
}
