//! Equal reviews have byte-identical responses.

use std::sync::Arc;

use portcullis_core::cluster::{Cluster, Event, Facts, SharedCluster, SyncState};
use portcullis_core::kinds::{Kind, decode};
use portcullis_core::review::Reviewer;
use portcullis_testing::config::plan;
use portcullis_testing::pages::{manifests, today};
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use super::random_ingress::{ALL_DENY, CLUSTER, ingress};

/// A reviewer over the cluster of the other tests and forty random Ingresses, applied in random order.
fn reviewer(order: &mut Rng) -> Reviewer {
    let mut rng = Rng::new(7);
    let random = |number: usize| {
        let mut other = ingress(&mut rng);
        other["metadata"]["name"] = format!("other-{number}").into();
        other["metadata"]["namespace"] = if number.is_multiple_of(2) { "web" } else { "bank" }.into();
        Facts::of(&decode(Kind::Ingress, &other.to_string()).expect("a random Ingress has the shape of one"))
    };
    let mut facts: Vec<_> = (0..40).map(random).collect();
    facts.extend(manifests(CLUSTER).iter().map(|manifest| Facts::of(&manifest.object().expect("a manifest of ours"))));
    order.shuffle(&mut facts);
    let mut cluster = Cluster::with(SyncState::Complete);
    facts.into_iter().for_each(|facts| cluster.apply(Event::Apply(facts)));
    Reviewer::new(plan(ALL_DENY), Arc::new(SharedCluster::new(cluster)))
}

fn review(seed: u64) -> Value {
    let mut rng = Rng::new(seed);
    let (object, old) = (ingress(&mut rng), ingress(&mut rng));
    let kind = json!({"group": "networking.k8s.io", "version": "v1", "kind": "Ingress"});
    let mut request = json!({"uid": "1", "kind": kind, "namespace": "web", "name": "shop", "object": object});
    request["operation"] = "CREATE".into();
    if seed.is_multiple_of(2) {
        request["operation"] = "UPDATE".into();
        request["oldObject"] = old;
    }
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request})
}

#[test]
fn equal_reviews_have_equal_responses() {
    let reviewers: Vec<_> = (0..4).map(|order| reviewer(&mut Rng::new(order))).collect();
    for seed in 0..300 {
        let body = review(seed).to_string();
        let answer =
            |reviewer: &Reviewer| reviewer.validate(body.as_bytes(), today()).expect("a review of ours is one");
        let first = answer(&reviewers[0]);
        for again in &reviewers {
            assert_eq!(answer(again), first, "seed {seed}: {body}");
        }
    }
}
