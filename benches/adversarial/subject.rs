//! A reviewer over one of the worlds, and the review that creates the world's additional object.

use std::sync::Arc;

use jiff::Timestamp;
use portcullis_core::checks::Plan;
use portcullis_core::cluster::{Cluster, Event, Facts, SharedCluster, SyncState};
use portcullis_core::config::Config;
use portcullis_core::kinds::Kind;
use portcullis_core::review::Reviewer;
use serde_json::{Value, json};

use super::world::{self, World};

/// A reviewer over a world.
pub struct Subject {
    reviewer: Reviewer,
    /// The view, which another thread may change during a review.
    pub cluster: Arc<SharedCluster>,
    now: Timestamp,
    /// The review of the object that is created.
    pub review: String,
}

impl Subject {
    /// A reviewer over this world with the default configuration.
    pub fn new(world: &World) -> Self {
        Self::with(world, Config::default())
    }

    /// A reviewer over this world with this configuration.
    pub fn with(world: &World, config: Config) -> Self {
        Self::over(world.facts(), world, config)
    }

    /// The same for stored objects that are already read.
    pub fn over(stored: Vec<Facts>, world: &World, config: Config) -> Self {
        let mut cluster = Cluster::with(SyncState::Complete);
        stored.into_iter().for_each(|facts| cluster.apply(Event::Apply(facts)));
        let plan = Plan::new(config).expect("the configuration is sound");
        let cluster = Arc::new(SharedCluster::new(cluster));
        let reviewer = Reviewer::new(plan, Arc::clone(&cluster));
        let now = "2026-12-01T00:00:00Z".parse().expect("a timestamp");
        Self { reviewer, cluster, now, review: review(world.kind, &world.reviewed) }
    }

    /// Stores one more object.
    #[allow(dead_code, reason = "the benches store nothing later")]
    pub fn store(&self, kind: Kind, object: &Value) {
        self.cluster.apply(vec![Event::Apply(world::facts(kind, object))]);
    }

    /// The response to the review.
    pub fn validate(&self) -> Vec<u8> {
        self.validate_text(&self.review)
    }

    /// The response to another review.
    pub fn validate_text(&self, review: &str) -> Vec<u8> {
        self.reviewer.validate(review.as_bytes(), self.now).expect("the payload is a review").body
    }

    /// Whether the object may be created, and the ids of the checks in the response.
    #[allow(dead_code, reason = "the benches only count")]
    pub fn verdict(&self) -> (bool, String) {
        let answer: Value = serde_json::from_slice(&self.validate()).expect("an answer is JSON");
        let response = &answer["response"];
        (response["allowed"] == true, response["auditAnnotations"]["checks"].as_str().unwrap_or_default().to_owned())
    }
}

impl Subject {
    /// Turns the review into an update of `old`.
    #[allow(dead_code, reason = "the benches only create")]
    pub fn update(&mut self, old: &Value) {
        self.review = self.review.replacen(r#""operation":"CREATE""#, r#""operation":"UPDATE""#, 1);
        let end = self.review.len() - 2;
        self.review.replace_range(end.., &format!(r#","oldObject":{old}}}}}"#));
    }
}

/// The review that creates this object.
pub fn review(kind: Kind, object: &Value) -> String {
    let api = kind.api();
    let gvk = json!({"group": api.group, "version": api.versions[0], "kind": api.kind});
    let metadata = &object["metadata"];
    let request = json!({
        "uid": "u-1", "kind": gvk, "operation": "CREATE", "userInfo": {"username": "bob"},
        "namespace": metadata["namespace"], "name": metadata["name"],
    });
    // `kind` precedes `object`, as the API server writes it.
    let mut request = request.to_string();
    request.pop();
    format!(
        r#"{{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{request},"object":{object}}}}}"#
    )
}
