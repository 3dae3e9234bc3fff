//! The counted call: the evaluation of a review over a view of a given size.

use std::sync::Arc;

use jiff::Timestamp;
use portcullis_core::checks::Plan;
use portcullis_core::cluster::{Cluster, Event, Facts, SharedCluster, SyncState};
use portcullis_core::config::Config;
use portcullis_core::kinds::{Kind, decode};
use portcullis_core::review::Reviewer;
use serde_json::{Value, json};

use crate::ingress::Spec;
use crate::metadata::go_json;
use crate::objects::{self, Object};
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

    fn over(more: impl Iterator<Item = Object>) -> Self {
        let mut cluster = Cluster::with(SyncState::Complete);
        objects::rest().chain(more).for_each(|object| put(&mut cluster, &object));
        let plan = Plan::new(Config::default()).expect("the default configuration is sound");
        let reviewer = Reviewer::new(plan, Arc::new(SharedCluster::new(cluster)));
        Self { reviewer, now: "2026-12-01T00:00:00Z".parse().expect("a timestamp") }
    }

    /// The response to one AdmissionReview.
    pub fn validate(&self, review: &str) -> Vec<u8> {
        self.reviewer.validate(review.as_bytes(), self.now).expect("the payload is a review").body
    }
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
