//! A view that random events have changed answers as one that is built from the same objects at once. The objects are
//! those of the pages of checks, which collide in all ways that a check knows.

use std::collections::BTreeMap;

use portcullis::files::Manifest;
use portcullis_core::checks::{Operation, Outcome, Plan, Write, registry};
use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState, User};
use portcullis_core::kinds::ObjectRef;
use portcullis_testing::config::plan;
use portcullis_testing::page::examples;
use portcullis_testing::pages::{manifests, must_read, today};
use portcullis_testing::rng::Rng;

use super::random_ingress::ALL_DENY;

/// How many worlds there are, how many events each has, and after how many of them reviews are compared.
const WORLDS: u64 = 150;
const EVENTS: usize = 90;
const BETWEEN_REVIEWS: usize = 15;
/// How many pages a world takes its objects from, and how many objects are reviewed at a time.
const PAGES: usize = 5;
const REVIEWS: usize = 8;

/// The readable objects on the pages of some checks. A server replaces `generateName`, so no stored object has only that.
fn objects(rng: &mut Rng) -> Vec<Manifest> {
    let checks: Vec<_> = registry::all().collect();
    let pages = (0..PAGES).map(|_| rng.pick(&checks).page);
    let all = pages.flat_map(examples).flat_map(|example| manifests(&example.yaml));
    all.filter(|manifest| manifest.prefix.is_none() && manifest.object().is_ok()).collect()
}

fn apply(manifest: &Manifest) -> Event {
    Event::Apply(Facts::of(&must_read(manifest)))
}

fn review(manifest: &Manifest, old: Option<&Manifest>, cluster: &Cluster, plan: &Plan) -> Outcome {
    let this = &manifest.object_ref;
    let operation = if old.is_some() { Operation::Update } else { Operation::Create };
    let write = Write { operation, this, user: Some(User::named("alice")), now: today() };
    plan.check(&must_read(manifest), || old.map(must_read), &Overlay::new(cluster, this), &write)
}

#[test]
fn a_view_answers_as_one_that_is_built_at_once() {
    let plans = [plan(ALL_DENY), plan("profile: restricted\nhostOwnership: {unlisted: FirstNamespace}\n")];
    let mut found = 0;
    for seed in 0..WORLDS {
        let mut rng = Rng::new(seed);
        let objects = objects(&mut rng);
        let mut stored: BTreeMap<&ObjectRef, &Manifest> = BTreeMap::new();
        let mut cluster = Cluster::with(SyncState::Complete);
        for event in 1..=EVENTS {
            let object = &objects[rng.below(objects.len())];
            if rng.one_in(3) {
                stored.remove(&object.object_ref);
                cluster.apply(Event::Delete(object.object_ref.clone()));
            } else {
                stored.insert(&object.object_ref, object);
                cluster.apply(apply(object));
            }
            if event % BETWEEN_REVIEWS != 0 {
                continue;
            }
            let mut at_once = Cluster::with(SyncState::Complete);
            let mut events: Vec<Event> = stored.values().map(|object| apply(object)).collect();
            rng.shuffle(&mut events);
            events.into_iter().for_each(|event| at_once.apply(event));
            for _ in 0..REVIEWS {
                let object = &objects[rng.below(objects.len())];
                let old = stored.get(&object.object_ref).copied();
                for plan in &plans {
                    let now = review(object, old, &cluster, plan);
                    found += now.findings.iter().filter(|evaluated| evaluated.finding.other.is_some()).count();
                    assert_eq!(now, review(object, old, &at_once, plan), "seed {seed}, event {event}: {}", object.json);
                }
            }
        }
    }
    assert!(found > 1_000, "only {found} findings name another object");
}
