//! Request bodies of `/validate` and `/mutate`.

use std::sync::{Arc, LazyLock};

use jiff::Timestamp;
use portcullis_core::checks::Plan;
use portcullis_core::cluster::{Cluster, Event, Facts, SharedCluster, SyncState};
use portcullis_core::config::Config;
use portcullis_core::kinds::{Kind, decode};
use portcullis_core::review::{Outline, ReviewError, ReviewResponse, Reviewer};
use serde_json::Value;

use crate::Target;

/// A body results in an error, or in an AdmissionReview with the uid of the request.
pub const TARGET: Target = Target { name: "envelope", run, seeds };

const CONFIG: &str = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\nprofile: restricted\n";

const STORED: &str = r#"{"metadata": {"namespace": "web", "name": "shop"}, "spec": {"ingressClassName": "nginx", "rules": [
    {"host": "shop.example.com", "http": {"paths": [{"path": "/", "pathType": "Prefix",
        "backend": {"service": {"name": "web", "port": {"number": 80}}}}]}}]}}"#;

static REVIEWER: LazyLock<Reviewer> = LazyLock::new(|| {
    let plan = Plan::new(Config::parse(CONFIG).expect("a configuration")).expect("a valid one");
    let mut cluster = Cluster::with(SyncState::Complete);
    cluster.apply(Event::Apply(Facts::of(&decode(Kind::Ingress, STORED).expect("an Ingress"))));
    Reviewer::new(plan, Arc::new(SharedCluster::new(cluster)))
});

fn run(data: &[u8]) {
    let _ = Outline::of(data);
    let now = Timestamp::UNIX_EPOCH;
    check(data, REVIEWER.validate(data, now));
    check(data, REVIEWER.mutate(data, now));
}

fn check(data: &[u8], response: Result<ReviewResponse, ReviewError>) {
    let Ok(response) = response else { return };
    let review: Value = serde_json::from_slice(&response.body).expect("a response is JSON");
    assert_eq!(review["kind"], "AdmissionReview", "{review}");
    assert!(review["response"]["allowed"].is_boolean(), "{review}");
    if let Ok(asked) = serde_json::from_slice::<Value>(data) {
        assert_eq!(review["response"]["uid"], asked["request"]["uid"], "{review}");
    }
}

fn seeds() -> Vec<Vec<u8>> {
    [
        include_str!("../../../examples/reviews/good.json"),
        include_str!("../../../examples/reviews/missing-service.json"),
        include_str!("../../../examples/reviews/path-conflict.json"),
        include_str!("../../../examples/reviews/path-not-absolute.json"),
        include_str!("../../../examples/reviews/second-default.json"),
    ]
    .map(|review| review.as_bytes().to_vec())
    .to_vec()
}
