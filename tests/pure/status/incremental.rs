//! Statuses that are kept current event by event equal those that are computed at once, whatever the order of the
//! objects.

use std::collections::BTreeMap;
use std::sync::Arc;

use portcullis_core::checks::Plan;
use portcullis_core::cluster::{Cluster, Event, Facts, SyncState};
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};
use portcullis_core::routing::delegation::GraphState;
use portcullis_core::status::{DesiredStatus, KINDS, StatusState, of_all};
use portcullis_testing::config::plan;
use portcullis_testing::pages::today;
use portcullis_testing::rng::Rng;
use serde_json::json;

use super::world;

/// The number of sequences. Each starts where the previous one ended.
const SEQUENCES: usize = 20_000;
const WORLDS: u64 = 200;

/// The reasons that occur often enough to prove something.
const REASONS: [&str; 20] = [
    "policy Accepted False Conflicted",
    "policy Accepted False Invalid",
    "policy Accepted False TargetNotFound",
    "policy Accepted True Accepted",
    "policy Accepted Unknown Pending",
    "route Accepted False HostnameConflict",
    "route Accepted False IncompatibleFilters",
    "route Accepted False NoMatchingListenerHostname",
    "route Accepted False NoMatchingParent",
    "route Accepted False NotAllowedByListeners",
    "route Accepted False UnsupportedValue",
    "route Accepted True Accepted",
    "route Accepted Unknown Pending",
    "route PartiallyInvalid True UnsupportedValue",
    "route ResolvedRefs False BackendNotFound",
    "route ResolvedRefs False InvalidKind",
    "route ResolvedRefs False RefNotPermitted",
    "route ResolvedRefs False UnsupportedProtocol",
    "route ResolvedRefs True ResolvedRefs",
    "route ResolvedRefs Unknown Pending",
];

/// Ownership that depends on labels, on HostClaims, and on how many of them a namespace has.
const OWNERSHIP: &str = "hostOwnership:
  claims: Optional
  hosts: [{host: b.com, namespaces: {labels: {team: x}}}]
  grants:
  - {hosts: ['*.com', b.com], namespaces: {labels: {team: x}}, maxPerNamespace: 2, wildcards: true}
  - {hosts: ['*.c'], namespaces: {names: [a]}, maxPerNamespace: 1000}
";

/// Those of the statuses under it.
const CLAIM_REASONS: [&str; 5] = [
    "HostClaim Granted False Conflicted",
    "HostClaim Granted True Granted",
    "HostRequest Granted False Conflicted",
    "HostRequest Granted False Pending",
    "HostRequest Granted True Granted",
];

type Statuses = BTreeMap<Arc<ObjectRef>, DesiredStatus>;
type Objects = BTreeMap<ObjectRef, (Box<str>, Arc<Facts>)>;

fn subjects(objects: &Objects) -> impl Iterator<Item = (ObjectRef, Box<str>)> {
    let subjects = objects.iter().filter(|(object_ref, _)| KINDS.contains(object_ref.kind));
    subjects.map(|(object_ref, (json, _))| (object_ref.clone(), json.clone()))
}

/// The controller's state, and the objects of the cluster.
struct Controller {
    kinds: &'static [Kind],
    plan: Plan,
    cluster: Cluster,
    state: StatusState,
    statuses: Statuses,
    objects: Objects,
    evaluated: usize,
}

impl Controller {
    fn new(kinds: &'static [Kind], config: &str) -> Self {
        let mut cluster = Cluster::with(SyncState::Complete);
        cluster.track_changes();
        let state = StatusState::default();
        Self {
            kinds,
            plan: plan(config),
            cluster,
            state,
            statuses: Statuses::new(),
            objects: Objects::new(),
            evaluated: 0,
        }
    }

    /// A random event: an object appears, changes or disappears, or the knowledge of a kind changes.
    fn event(&mut self, rng: &mut Rng) -> String {
        let kind = rng.pick(self.kinds);
        if rng.one_in(60) {
            let knowledge = rng.pick(&[SyncState::Partial, SyncState::Complete, SyncState::Complete]);
            self.cluster.apply(Event::SyncState(kind, knowledge));
            return format!("{kind:?} is {knowledge:?}");
        }
        let object_ref = world::object_ref(rng, kind);
        if rng.below(5) < 3 {
            self.objects.remove(&object_ref);
            self.state.remove(&object_ref);
            self.statuses.remove(&object_ref);
            self.cluster.apply(Event::Delete(object_ref.clone()));
            return format!("{object_ref} disappears");
        }
        let json = world::object(rng, &object_ref).to_string();
        let event = format!("{object_ref} is {json}");
        self.put(object_ref, json);
        event
    }

    /// An object appears or changes.
    fn put(&mut self, object_ref: ObjectRef, json: String) {
        let facts = world::facts(object_ref.kind, &json);
        self.cluster.apply(Event::Apply(facts.clone()));
        if KINDS.contains(object_ref.kind) {
            self.state.put(object_ref.clone(), json.clone().into());
        }
        self.objects.insert(object_ref, (json.into(), Arc::new(facts)));
    }

    /// Evaluates what the events since the last call affect.
    fn settle(&mut self) {
        let changes = self.cluster.take_changes();
        self.state.note(&changes);
        let (rules, delegations) = ((self.plan.config(), self.plan.ownership()), GraphState::default());
        while let Some(evaluated) = self.state.evaluate_next(&self.cluster, rules, &delegations) {
            self.evaluated += 1;
            match evaluated.desired {
                Some(desired) => drop(self.statuses.insert(evaluated.object_ref, desired)),
                None => drop(self.statuses.remove(&evaluated.object_ref)),
            }
        }
    }

    /// The statuses computed at once from the current view.
    fn at_once(&mut self) -> Statuses {
        of_all(subjects(&self.objects), &mut self.cluster, self.plan.graph_rules(today()))
    }

    /// The statuses computed from nothing but the objects.
    fn rebuilt(&self) -> Statuses {
        let facts: Vec<Arc<Facts>> = self.objects.values().map(|(_, facts)| Arc::clone(facts)).collect();
        let mut cluster = Cluster::of_facts(&facts);
        for kind in Kind::ALL {
            cluster.apply(Event::SyncState(kind, self.cluster.knowledge(kind)));
        }
        of_all(subjects(&self.objects), &mut cluster, self.plan.graph_rules(today()))
    }
}

/// The reasons in the statuses, each with the number of its occurrences.
fn count_reasons(statuses: &Statuses, counts: &mut BTreeMap<String, usize>) {
    for (object_ref, status) in statuses {
        let status = status.to_json();
        let entries = ["parents", "ancestors"].into_iter().flat_map(|list| status[list].as_array()).flatten();
        let own = KindSet::of(&[Kind::HostClaim, Kind::HostRequest]).contains(object_ref.kind).then_some(&status);
        for condition in entries.chain(own).filter_map(|entry| entry["conditions"].as_array()).flatten() {
            let field = |name: &str| condition[name].as_str().unwrap_or_default().to_owned();
            let kind = match object_ref.kind {
                Kind::BackendTlsPolicy => "policy",
                Kind::HostClaim | Kind::HostRequest => object_ref.kind.api().kind,
                _ => "route",
            };
            *counts.entry([kind, &field("type"), &field("status"), &field("reason")].join(" ")).or_default() += 1;
        }
    }
}

/// Compares what is kept by event with what is computed from scratch, for this number of sequences of events. Returns what the statuses say.
fn compare(controller: &mut Controller, sequences: usize) -> BTreeMap<String, usize> {
    let (mut rng, mut reasons) = (Rng::new(20), BTreeMap::new());
    for sequence in 0..sequences {
        let events: Vec<String> = (0..=rng.below(3)).map(|_| controller.event(&mut rng)).collect();
        controller.settle();
        // A sequence is compared at its end; the next one begins with the same state.
        let is_from_scratch = sequence % 4 == 0;
        let at_once = if is_from_scratch { controller.rebuilt() } else { controller.at_once() };
        if controller.statuses != at_once {
            let differs = |own: &&Arc<ObjectRef>| controller.statuses.get(*own) != at_once.get(*own);
            let different = controller.statuses.keys().chain(at_once.keys()).find(differs).expect("a difference");
            panic!(
                "sequence {sequence}: {events:#?}\nkept {:#?}\nat once {:#?}",
                controller.statuses.get(different),
                at_once.get(different)
            );
        }
        if is_from_scratch {
            count_reasons(&at_once, &mut reasons);
        }
    }
    reasons
}

fn assert_reasons(expected: &[&str], reasons: &BTreeMap<String, usize>) {
    for reason in expected {
        let count = reasons.get(*reason).copied().unwrap_or_default();
        assert!(count >= 10, "{reason} occurs {count} times, which proves little: {reasons:#?}");
    }
}

#[test]
fn incremental_equals_from_scratch() {
    let mut controller = Controller::new(&world::KINDS, "");
    assert_reasons(&REASONS, &compare(&mut controller, SEQUENCES));
    let all: usize = SEQUENCES * controller.objects.len();
    assert!(controller.evaluated < all / 2, "{} evaluations are too many for an index", controller.evaluated);
}

#[test]
fn incremental_equals_from_scratch_for_claims_of_hosts() {
    let mut controller = Controller::new(&world::OWNING_KINDS, OWNERSHIP);
    assert_reasons(&CLAIM_REASONS, &compare(&mut controller, SEQUENCES / 4));
}

/// A HostClaim leads to the statuses of those whose host it may decide, and not to those of all others: what 10,000 of them cost must not grow
/// with its square.
#[test]
fn host_claim_recomputes_only_statuses_of_its_host() {
    let mut controller = Controller::new(&world::OWNING_KINDS, OWNERSHIP);
    let claims = 200;
    for number in 0..claims {
        for (kind, namespace) in [(Kind::HostRequest, "a"), (Kind::HostRequest, "b"), (Kind::HostClaim, "")] {
            let object_ref = ObjectRef::new(kind, namespace, &format!("h{number}.c"));
            let spec = json!({"host": object_ref.name, "namespace": "a"});
            let json = json!({"metadata": {"name": object_ref.name, "namespace": namespace}, "spec": spec});
            controller.put(object_ref, json.to_string());
            controller.settle();
        }
    }
    assert!(controller.statuses.len() == claims * 3, "{} statuses", controller.statuses.len());
    assert!(controller.evaluated < claims * 8, "{} evaluations for {claims} HostClaims", controller.evaluated);
}

#[test]
fn insertion_order_does_not_matter() {
    let mut with_entries = 0;
    for seed in 0..WORLDS {
        let (mut rng, mut controller) = (Rng::new(seed), Controller::new(&world::KINDS, ""));
        (0..50).for_each(|_| drop(controller.event(&mut rng)));
        controller.settle();
        let expected = controller.rebuilt();
        let mut objects: Vec<_> = controller.objects.iter().collect();
        rng.shuffle(&mut objects);
        let mut cluster = Cluster::with(SyncState::Complete);
        for kind in Kind::ALL {
            cluster.apply(Event::SyncState(kind, controller.cluster.knowledge(kind)));
        }
        objects.iter().for_each(|(_, (_, facts))| cluster.apply(Event::Apply((**facts).clone())));
        let subjects = objects.iter().filter(|(object_ref, _)| KINDS.contains(object_ref.kind));
        let subjects = subjects.map(|(object_ref, (json, _))| ((*object_ref).clone(), json.clone()));
        let found = of_all(subjects, &mut cluster, controller.plan.graph_rules(today()));
        assert_eq!(found, expected, "world {seed}");
        with_entries += usize::from(!found.is_empty());
    }
    assert!(with_entries > 150, "{with_entries} worlds with a status prove little");
}
