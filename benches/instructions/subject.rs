//! What is counted: the call that answers a review, over a view of the size that is asked for.

use std::sync::{Arc, RwLock};

use jiff::Timestamp;
use portcullis::checks::Plan;
use portcullis::cluster::{Cluster, Event, Facts, Knowledge};
use portcullis::config::Config;
use portcullis::kinds::{Kind, decode};
use portcullis::review::Reviewer;

use crate::ingress::{Spec, go_json};
use crate::objects;

/// The reviewer over an index.
pub struct Subject {
    reviewer: Reviewer,
    now: Timestamp,
}

impl Subject {
    /// Over the class, namespaces and Services of the bench, and so many other Ingresses.
    pub fn over(ingresses: usize) -> Self {
        let mut cluster = Cluster::with(Knowledge::Complete);
        objects::rest().for_each(|object| put(&mut cluster, object.kind, &object.json));
        (0..ingresses).for_each(|number| put(&mut cluster, Kind::Ingress, &bare_ingress(number)));
        let plan = Plan::new(Config::default()).expect("the default configuration is sound");
        let reviewer = Reviewer::new(plan, Arc::new(RwLock::new(cluster)));
        Self { reviewer, now: "2026-12-01T00:00:00Z".parse().expect("a timestamp") }
    }

    /// The answer to one AdmissionReview.
    pub fn validate(&self, review: &str) -> Vec<u8> {
        self.reviewer.validate(review.as_bytes(), self.now).expect("the payload is a review").body
    }
}

fn put(cluster: &mut Cluster, kind: Kind, json: &str) {
    let object = decode(kind, json).expect("the objects of the bench are sound");
    cluster.apply(Event::Put(Facts::of(&object)));
}

/// The other Ingress with this number, but for what no index keeps: valgrind is slow enough.
fn bare_ingress(number: usize) -> String {
    let spec = objects::of_number(number, Spec::new);
    let (name, namespace) = (objects::ingress_name(number), objects::namespace_of(number));
    format!(r#"{{"metadata":{{"name":"{name}","namespace":"{namespace}"}},"spec":{}}}"#, go_json(&spec))
}
