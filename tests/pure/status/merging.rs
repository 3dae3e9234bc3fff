//! Merging keeps what others wrote, byte for byte, and merging again changes nothing.

use std::collections::BTreeMap;

use jiff::Timestamp;
use portcullis_core::cluster::{Cluster, Event, SyncState};
use portcullis_core::config::Config;
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_core::status::merge::{Merged, merge, patch};
use portcullis_core::status::{DesiredStatus, Entries, KINDS, OwnEntries, of_all};
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

use super::world;

const WORLDS: u64 = 250;
const OWN: &str = "portcullis.dev/controller";

fn time(text: &str) -> Timestamp {
    text.parse().expect("a timestamp")
}

/// The statuses of the routes and policies of a random world.
fn statuses(rng: &mut Rng) -> Vec<DesiredStatus> {
    let mut objects = BTreeMap::new();
    for _ in 0..45 {
        let kind = rng.pick(&world::KINDS);
        let object_ref = world::object_ref(rng, kind);
        let json = world::object(rng, &object_ref).to_string();
        objects.insert(object_ref, json);
    }
    let mut cluster = Cluster::with(SyncState::Complete);
    for (object_ref, json) in &objects {
        cluster.apply(Event::Apply(world::facts(object_ref.kind, json)));
    }
    let subjects = objects.into_iter().filter(|(object_ref, _)| KINDS.contains(object_ref.kind));
    let subjects = subjects.map(|(object_ref, json)| (object_ref, json.into()));
    let all = of_all(subjects, &mut cluster, &Config::default()).into_iter();
    all.map(|(_, desired)| desired).filter(|desired| own(desired).is_some()).collect()
}

/// The list of entries that the status shares with other controllers.
fn own(desired: &DesiredStatus) -> Option<(&'static str, &'static str, &OwnEntries)> {
    let entries = desired.entries.as_ref()?;
    match entries {
        Entries::Parents(own) | Entries::Ancestors(own) => Some((entries.field(), entries.reference_field(), own)),
        Entries::Listeners(_) => None,
    }
}

fn condition(rng: &mut Rng) -> Value {
    json!({
        "type": rng.pick(&["example.com/Ready", "Accepted", "PartiallyInvalid", "ResolvedRefs"]),
        "status": rng.pick(&["True", "False", "Unknown"]), "reason": "Found", "message": "é \"quoted\"",
        "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 0, "example": [1, 2.5, null],
    })
}

/// An entry of another controller, or a stale or current one of this controller.
fn entry(rng: &mut Rng, reference: &str, entries: &OwnEntries) -> Value {
    let controller = rng.pick(&["example.com/one", "example.com/two", OWN]);
    let mut conditions: BTreeMap<String, Value> = BTreeMap::new();
    for _ in 0..rng.below(4) {
        let condition = condition(rng);
        conditions.insert(condition["type"].to_string(), condition);
    }
    let written = match entries.entries.is_empty() || rng.one_in(2) {
        true => json!({"name": format!("p{}", rng.below(50)), "extra": {"kept": true}}),
        false => Value::Object(entries.entries[rng.below(entries.entries.len())].reference.clone()),
    };
    let conditions: Vec<Value> = conditions.into_values().collect();
    json!({reference: written, "controllerName": controller, "conditions": conditions})
}

fn stored(rng: &mut Rng, desired: &DesiredStatus) -> Value {
    let (field, reference, entries) = own(desired).expect("a list of entries");
    let most = if field == "parents" { 32 } else { 16 };
    // A list that other controllers filled to the limit, with at most one place left.
    let is_full = rng.one_in(5);
    let count = if is_full { most - rng.below(2) } else { rng.below(most + 1) };
    let mut list: Vec<Value> = Vec::new();
    for _ in 0..count {
        let mut entry = entry(rng, reference, entries);
        if is_full {
            entry["controllerName"] = json!("example.com/one");
        }
        let is_same = |known: &Value| known["controllerName"] == OWN && known[reference] == entry[reference];
        if !list.iter().any(|known| entry["controllerName"] == OWN && is_same(known)) {
            list.push(entry);
        }
    }
    json!({field: list, "other": {"field": [1, "x"]}})
}

fn entries<'v>(status: &'v Value, field: &str) -> &'v [Value] {
    status[field].as_array().map_or(&[], Vec::as_slice)
}

/// The texts of the entries of other controllers, in order.
fn foreign(status: &Value, field: &str) -> Vec<String> {
    entries(status, field).iter().filter(|entry| entry["controllerName"] != OWN).map(Value::to_string).collect()
}

/// The texts of the conditions of an entry that this controller does not write.
fn foreign_conditions(entry: &Value) -> Vec<String> {
    let types = ["Accepted", "ResolvedRefs", "PartiallyInvalid"].map(Value::from);
    let list = entries(entry, "conditions").iter().filter(|condition| !types.contains(&condition["type"]));
    list.map(Value::to_string).collect()
}

/// Whether each wanted entry is in the list with its conditions, or was dropped because the list is full.
fn assert_holds(desired: &DesiredStatus, before: &Value, Merged { status, dropped, .. }: &Merged) {
    let (field, reference, own) = own(desired).expect("a list of entries");
    let own_entries: Vec<&Value> =
        entries(status, field).iter().filter(|entry| entry["controllerName"] == OWN).collect();
    assert_eq!(own_entries.len() + dropped.len(), own.entries.len(), "{desired:#?} {status:#}");
    for wanted in own.entries.iter().filter(|wanted| !dropped.contains(&wanted.reference)) {
        let is_wanted = |entry: &&Value| entry[reference].as_object() == Some(&wanted.reference);
        let found = own_entries.iter().copied().find(is_wanted).expect("an entry for each reference");
        for condition in &wanted.conditions.set {
            let stored = entries(found, "conditions").iter().filter(|stored| stored["type"] == condition.type_name);
            let stored: Vec<_> = stored.collect();
            assert!(matches!(stored[..], [only] if only["status"] == condition.status.name()
                && only["reason"] == *condition.reason && only["message"] == *condition.message));
        }
        let is_same = |entry: &&Value| entry["controllerName"] == OWN && is_wanted(entry);
        if let Some(before) = entries(before, field).iter().find(is_same) {
            assert_eq!(foreign_conditions(before), foreign_conditions(found));
        }
    }
}

#[test]
fn merging_keeps_what_others_wrote_and_happens_once() {
    let (now, later) = (time("2026-06-01T00:00:00Z"), time("2026-06-02T00:00:00Z"));
    let (mut merges, mut pruned, mut full, mut kept) = (0, 0, 0, 0);
    for seed in 0..WORLDS {
        let mut rng = Rng::new(seed);
        for desired in statuses(&mut rng) {
            let before = stored(&mut rng, &desired);
            let Some(merged) = merge(&desired, &before, now) else { panic!("no stored generation is newer") };
            let (field, _, own) = own(&desired).expect("a list of entries");
            assert_eq!(foreign(&before, field), foreign(&merged.status, field), "world {seed}");
            assert_eq!(before["other"], merged.status["other"]);
            let most = if field == "parents" { 32 } else { 16 };
            assert!(entries(&merged.status, field).len() <= most, "world {seed}: {:#}", merged.status);
            assert!(own.is_complete, "every kind is known");
            assert_holds(&desired, &before, &merged);
            let again = merge(&desired, &merged.status, later).expect("the generation is the same");
            assert_eq!(again, merged, "world {seed}: a second merge changes nothing");
            assert_eq!(patch(&merged.status, &again.status), None);
            merges += 1;
            full += usize::from(!merged.dropped.is_empty());
            pruned +=
                usize::from(own.entries.is_empty() && entries(&before, field).len() > foreign(&before, field).len());
            kept += usize::from(!foreign(&before, field).is_empty());
        }
    }
    assert!(merges > 1_000 && pruned > 100 && full > 50 && kept > 500, "{merges} {pruned} {full} {kept}");
}

/// Where it is not known whether there are further parents, none of the own entries is removed.
#[test]
fn entries_stay_while_their_parents_are_not_known() {
    let route = r#"{"metadata": {"namespace": "a", "name": "x", "generation": 2},
        "spec": {"parentRefs": [{"name": "x"}], "rules": [{"backendRefs": [{"name": "x", "port": 80}]}]}}"#;
    let stored = json!({"parents": [{"parentRef": {"name": "x"}, "controllerName": OWN, "conditions": []}]});
    for (knowledge, stays) in [(SyncState::Partial, true), (SyncState::Complete, false)] {
        let mut cluster = Cluster::with(knowledge);
        let facts = world::facts(Kind::HttpRoute, route);
        let object_ref = facts.object_ref();
        cluster.apply(Event::Apply(facts));
        let all = of_all([(object_ref, route.into())], &mut cluster, &Config::default());
        let desired = all.into_values().next().expect("a route always has a status");
        let merged =
            merge(&desired, &stored, time("2026-06-01T00:00:00Z")).expect("the stored generation is not newer");
        let expected = if stays { stored.clone() } else { json!({"parents": []}) };
        assert_eq!(merged.status, expected, "{knowledge:?}");
    }
}

/// While a kind of routes that a listener takes cannot be read, it keeps the number that it has.
#[test]
fn attached_routes_that_cannot_be_counted_are_kept() {
    let class = json!({"metadata": {"name": "own"}, "spec": {"controllerName": OWN}}).to_string();
    let listener = |name: &str, port: u16| json!({"name": name, "port": port, "protocol": "HTTP"});
    let spec = json!({"gatewayClassName": "own", "listeners": [listener("web", 80), listener("new", 81)]});
    let gateway = json!({"metadata": {"namespace": "a", "name": "x"}, "spec": spec}).to_string();
    for (kind, knowledge, expected) in [
        (Kind::HttpRoute, SyncState::Complete, [0, 0]),
        (Kind::HttpRoute, SyncState::NotServed, [0, 0]),
        (Kind::HttpRoute, SyncState::Stale, [3, 0]),
        (Kind::GrpcRoute, SyncState::Forbidden, [3, 0]),
        // A listener of HTTP takes no such routes.
        (Kind::TcpRoute, SyncState::Forbidden, [0, 0]),
    ] {
        let mut cluster = Cluster::with(SyncState::Complete);
        cluster.apply(Event::Apply(world::facts(Kind::GatewayClass, &class)));
        cluster.apply(Event::Apply(world::facts(Kind::Gateway, &gateway)));
        cluster.apply(Event::SyncState(kind, knowledge));
        let subject = (ObjectRef::new(Kind::Gateway, "a", "x"), gateway.clone().into());
        let (_, desired) = of_all([subject], &mut cluster, &Config::default()).pop_first().expect("a status");
        let stored = json!({"listeners": [{"name": "web", "attachedRoutes": 3, "conditions": []}]});
        let merged = merge(&desired, &stored, time("2026-06-01T00:00:00Z")).expect("no stored generation is newer");
        let attached = entries(&merged.status, "listeners").iter().map(|entry| entry["attachedRoutes"].clone());
        assert_eq!(attached.collect::<Vec<_>>(), expected, "{kind:?} {knowledge:?}");
    }
}
