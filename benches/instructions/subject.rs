//! The counted call: the evaluation of a review over a view of a given size.

use std::sync::Arc;

use jiff::Timestamp;
use portcullis_core::checks::Plan;
use portcullis_core::cluster::{Cluster, Event, Facts, SharedCluster, SyncState};
use portcullis_core::config::{API_VERSION, Config, KIND};
use portcullis_core::kinds::{Kind, decode};
use portcullis_core::review::Reviewer;
use serde_json::{Value, json};

use crate::ingress::Spec;
use crate::metadata::go_json;
use crate::objects::{self, FIRST_NAMESPACE, Object};
use crate::{gateways, http_route, ingress_route};

/// A reviewer over a view.
pub struct Subject {
    reviewer: Reviewer,
    now: Timestamp,
}

impl Subject {
    /// Over the class, the namespaces and the Services of the bench, and this number of other Ingresses.
    pub fn over_ingresses(count: usize) -> Self {
        Self::over((0..count).map(bare_ingress))
    }

    /// Over the same, the Gateways and grants, and this number of other HTTPRoutes.
    pub fn over_http_routes(count: usize) -> Self {
        Self::over(gateways::all().chain((0..count).map(bare_http_route)))
    }

    /// Over the same as for Ingresses, and this number of roots.
    pub fn over_roots(count: usize) -> Self {
        Self::over(ingress_route::roots(count))
    }

    /// Over the same as for Ingresses, 1,000 of them, under a configuration with so many overrides and entries of host ownership.
    pub fn under_policy(overrides: usize, entries: usize) -> Self {
        Self::of(
            Config::parse(&policy(overrides, entries)).expect("the configuration is valid"),
            (0..1_000).map(bare_ingress),
        )
    }

    fn over(more: impl Iterator<Item = Object>) -> Self {
        Self::of(Config::default(), more)
    }

    fn of(config: Config, more: impl Iterator<Item = Object>) -> Self {
        let mut cluster = Cluster::with(SyncState::Complete);
        objects::rest().chain(more).for_each(|object| put(&mut cluster, &object));
        let plan = Plan::new(config).expect("the configuration is sound");
        let reviewer = Reviewer::new(plan, Arc::new(SharedCluster::new(cluster)));
        Self { reviewer, now: "2026-12-01T00:00:00Z".parse().expect("a timestamp") }
    }

    /// The response to one AdmissionReview.
    pub fn validate(&self, review: &str) -> Vec<u8> {
        self.reviewer.validate(review.as_bytes(), self.now).expect("the payload is a review").body
    }
}

/// A configuration of a platform with many teams: one override applies to the reviewed object, three select by the start of a name, and
/// the others by a name, a label, or an expression beside a label. The last entry is that of the reviewed object.
fn policy(overrides: usize, entries: usize) -> String {
    let mut text = format!("apiVersion: {API_VERSION}\nkind: {KIND}\noverrides:\n");
    for number in 0..overrides {
        let selector = match number {
            0 => format!("names: [{FIRST_NAMESPACE}]"),
            1..4 => format!("names: ['lab-{number}-*']"),
            _ if number % 3 == 0 => format!("names: [tenant-{number}]"),
            _ if number % 3 == 1 => format!("labels: {{tenant: tenant-{number:03}}}"),
            _ => format!(
                "labels: {{tenant: tenant-{number:03}}}, matchExpressions: [{{key: tier, operator: NotIn, values: [test]}}]"
            ),
        };
        text += &format!("- match: {{namespaces: {{{selector}}}}}\n  themes: {{reference: Warn}}\n");
    }
    text += "hostOwnership:\n  hosts:\n";
    for number in 1..entries {
        let host = if number % 2 == 0 { "*." } else { "www." };
        text +=
            &format!("  - {{host: '{host}tenant-{number}.example.net', namespaces: {{names: [tenant-{number}]}}}}\n");
    }
    if entries > 0 {
        text += "  - {host: '*.example.com', namespaces: {names: ['*']}}\n";
    }
    text
}

fn put(cluster: &mut Cluster, object: &Object) {
    let object = decode(object.kind, &object.json).expect("the objects of the bench are sound");
    cluster.apply(Event::Apply(Facts::of(&object)));
}

/// The other Ingress with this number, without the fields that no index keeps, since decoding under valgrind is slow.
fn bare_ingress(number: usize) -> Object {
    let spec = objects::of_number(number, Spec::new);
    let (name, namespace) = (objects::ingress_name(number), objects::namespace_of(number));
    let json = format!(r#"{{"metadata":{{"name":"{name}","namespace":"{namespace}"}},"spec":{}}}"#, go_json(&spec));
    Object { kind: Kind::Ingress, namespace, json }
}

/// The other HTTPRoute with this number, which matches only by path and has no filters.
fn bare_http_route(number: usize) -> Object {
    let route = http_route::http_route_of_number(number, |shape| {
        let spec = http_route::spec(shape, bare_rule);
        json!({"metadata": {"name": shape.name, "namespace": shape.namespace}, "spec": spec})
    });
    objects::object(Kind::HttpRoute, &objects::namespace_of(number), &route)
}

fn bare_rule(shape: &http_route::Shape<'_>, rule: usize) -> Value {
    let matches: Value = (0..shape.matches).map(|number| json!({"path": http_route::path(rule, number)})).collect();
    json!({"matches": matches})
}
