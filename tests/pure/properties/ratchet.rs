//! An update is denied only for what it makes worse.

use std::collections::BTreeMap;

use portcullis_core::checks::{Operation, Outcome, Plan, Write};
use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState, User};
use portcullis_core::finding::Action;
use portcullis_core::kinds::{Kind, Object, ObjectRef, decode};
use portcullis_testing::config::plan;
use portcullis_testing::pages::{manifests, today};
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use super::random_ingress::{ALL_DENY, CLUSTER, ingress, rule};

const SEEDS: std::ops::Range<u64> = 0..1_500;

/// A plan and a cluster for evaluations.
struct EvaluationFixture {
    plan: Plan,
    cluster: Cluster,
}

impl EvaluationFixture {
    /// Every check denies, and all kinds are completely known.
    fn strict() -> Self {
        Self { plan: plan(ALL_DENY), cluster: cluster(SyncState::Complete) }
    }

    /// The outcome of writing `new` over `old`. Without `old`, nothing is preexisting.
    fn judge(&self, new: &Value, old: Option<&Value>) -> Outcome {
        let this = ObjectRef::new(Kind::Ingress, "web", "shop");
        let write = Write { operation: Operation::Update, this: &this, user: Some(User::named("alice")), now: today() };
        let (new, old) = (new.to_string(), old.map(Value::to_string));
        let read = |json| decode(Kind::Ingress, json).expect("a random Ingress has the shape of one");
        let old = || -> Option<Object<'_>> { old.as_deref().map(read) };
        self.plan.check(&read(&new), old, &Overlay::new(&self.cluster, &this), &write)
    }
}

fn cluster(knowledge: SyncState) -> Cluster {
    let mut cluster = Cluster::with(knowledge);
    for manifest in manifests(CLUSTER) {
        cluster.apply(Event::Apply(Facts::of(&manifest.object().expect("a manifest of ours can be read"))));
    }
    cluster
}

/// The check and the address of each denial.
fn denied(judgement: &Outcome) -> Vec<(&'static str, String)> {
    let denied = judgement.findings.iter().filter(|evaluated| evaluated.action == Action::Deny);
    denied.map(|evaluated| (evaluated.finding.check, evaluated.finding.at.to_string())).collect()
}

/// The number of denials by check.
fn counted(judgement: &Outcome) -> BTreeMap<&'static str, usize> {
    let mut counted = BTreeMap::new();
    for (check, _) in denied(judgement) {
        *counted.entry(check).or_default() += 1;
    }
    counted
}

/// The same Ingress with all lists shuffled, at every level.
fn reordered(object: &Value, rng: &mut Rng) -> Value {
    match object {
        Value::Array(list) => {
            let mut list: Vec<_> = list.iter().map(|element| reordered(element, rng)).collect();
            rng.shuffle(&mut list);
            list.into()
        }
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), reordered(value, rng))).collect(),
        other => other.clone(),
    }
}

fn rules(object: &mut Value) -> &mut Vec<Value> {
    object["spec"]["rules"].as_array_mut().expect("a random Ingress has a list of rules")
}

#[test]
fn reordering_is_not_a_new_fault() {
    let (fixture, mut kinds) = (EvaluationFixture::strict(), BTreeMap::new());
    for seed in SEEDS {
        let mut rng = Rng::new(seed);
        let old = ingress(&mut rng);
        let new = reordered(&old, &mut rng);
        let judgement = fixture.judge(&new, Some(&old));
        assert_eq!(denied(&judgement), [], "seed {seed}: {old}\n{new}");
        assert_eq!(judgement.findings.len(), fixture.judge(&old, None).findings.len(), "seed {seed}: {old}\n{new}");
        kinds.extend(judgement.findings.iter().map(|evaluated| (evaluated.finding.check, ())));
    }
    assert!(kinds.len() > 45, "few faults were tried: {:?}", kinds.keys());
}

/// The oracle compares the numbers of findings of each check before and after.
#[test]
fn an_added_rule_is_refused_for_its_own_faults() {
    let fixture = EvaluationFixture::strict();
    for seed in SEEDS {
        let mut rng = Rng::new(seed);
        let old = ingress(&mut rng);
        let mut new = old.clone();
        let known = rules(&mut new).len();
        let added = if known > 0 && rng.one_in(3) { rules(&mut new)[rng.below(known)].clone() } else { rule(&mut rng) };
        let object_ref = rng.below(known + 1);
        rules(&mut new).insert(object_ref, added);

        let (before, mut worse) = (counted(&fixture.judge(&old, None)), counted(&fixture.judge(&new, None)));
        for (check, count) in &mut worse {
            *count = count.saturating_sub(before.get(check).copied().unwrap_or_default());
        }
        worse.retain(|_, count| *count > 0);
        let mut denied = counted(&fixture.judge(&new, Some(&old)));
        // A rule that adds to a host which the object already had denies all of its findings about the host.
        for (check, count) in denied.iter_mut().filter(|(check, _)| check.starts_with("host/")) {
            let worse = worse.get(check).copied().unwrap_or_default();
            assert!((worse..).contains(count), "seed {seed}: {check}: {count} instead of {worse}: {old}\n{new}");
            *count = worse;
        }
        denied.retain(|_, count| *count > 0);
        assert_eq!(denied, worse, "seed {seed}: {old}\n{new}");
    }
}

/// A host in upper case and a prefix with a trailing slash are the same host and path as before, so faults of the
/// backends and in other objects are preexisting.
#[test]
fn equivalent_path_is_not_a_new_fault() {
    let fixture = EvaluationFixture::strict();
    let backend = json!({"service": {"name": "ghost", "port": {"number": 22}}});
    let ingress = |host: &str, path: &str| {
        let path = json!({"path": path, "pathType": "Prefix", "backend": backend});
        json!({"metadata": {"name": "shop"}, "spec": {"ingressClassName": "nginx", "tls": [{"hosts": ["*.example.com"]}], "rules": [
            {"host": host, "http": {"paths": [path]}},
        ]}})
    };
    let old = ingress("taken.example.com", "/a");
    let before = counted(&fixture.judge(&old, None));
    let expected = [
        ("host/not-unique", 1),
        ("host/path-conflict", 1),
        ("ingress/port-not-allowed", 1),
        ("ingress/service-not-found", 1),
    ];
    assert_eq!(before, expected.into());
    assert_eq!(denied(&fixture.judge(&ingress("taken.example.com", "/a/"), Some(&old))), []);
    let capitals = denied(&fixture.judge(&ingress("Taken.example.com", "/a"), Some(&old)));
    assert_eq!(capitals, [("ingress/host-malformed", "spec.rules[0].host".to_owned())]);
}

#[test]
fn old_object_is_evaluated_in_its_own_class() {
    let fixture = EvaluationFixture::strict();
    let of = |class: &str| {
        let path = json!({"path": "/", "pathType": "Prefix", "backend": {"service": {"name": "cart", "port": {"number": 80}}}});
        json!({"metadata": {"name": "shop"}, "spec": {"ingressClassName": class, "tls": [{"hosts": ["taken.example.com"]}], "rules": [
            {"host": "taken.example.com", "http": {"paths": [path]}},
        ]}})
    };
    let conflicts = |new: &str, old: &str| -> Vec<_> {
        let denied = denied(&fixture.judge(&of(new), Some(&of(old)))).into_iter();
        denied.map(|(check, _)| check).filter(|check| !check.starts_with("ingress/class")).collect()
    };
    assert_eq!(conflicts("nginx", "nginx"), [""; 0], "a preexisting conflict is not a new fault");
    assert_eq!(conflicts("nginx", "internal"), ["host/path-conflict"], "the old class has no conflict");
    assert_eq!(conflicts("internal", "nginx"), [""; 0], "the new class has no conflict");
}

/// The same object with further changes that a controller or a client may make.
fn dirty(object: &Value) -> Value {
    let mut dirty = object.clone();
    dirty["metadata"]["finalizers"] = json!(["example.com/wait"]);
    dirty["metadata"]["deletionTimestamp"] = "2026-12-01T00:00:00Z".into();
    dirty["metadata"]["managedFields"] = json!([{"manager": "controller"}]);
    dirty["status"] = json!({"loadBalancer": {"ingress": [{"ip": "nonsense"}]}});
    dirty
}

#[test]
fn unchanged_object_is_never_denied() {
    let fixture = EvaluationFixture::strict();
    for seed in SEEDS {
        let old = ingress(&mut Rng::new(seed));
        assert_eq!(denied(&fixture.judge(&dirty(&old), Some(&old))), [], "seed {seed}: {old}");
    }
}

#[test]
fn unchanged_object_is_never_retried() {
    let fixture = EvaluationFixture { plan: plan(ALL_DENY), cluster: Cluster::with(SyncState::NotSynced) };
    let mut waiting = 0;
    for seed in SEEDS {
        let old = ingress(&mut Rng::new(seed));
        let judgement = fixture.judge(&dirty(&old), Some(&old));
        assert!(judgement.waiting.is_empty(), "seed {seed}: {old}");
        assert_eq!(denied(&judgement), [], "seed {seed}: {old}");
        let mut new = old.clone();
        new["metadata"]["labels"] = json!({"any": "change"});
        waiting += usize::from(!fixture.judge(&new, Some(&old)).waiting.is_empty());
    }
    assert!(waiting > 1_000, "only {waiting} changed objects have to wait");
}
