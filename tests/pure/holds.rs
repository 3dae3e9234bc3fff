//! A review releases the view after each part of an object, and is denied if it takes too long.

pub mod lookups;

use std::cell::Cell;
use std::time::Duration;

use portcullis_core::checks::{CLAIMS_PER_TURN, Operation, Outcome, Plan, Write};
use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState, View};
use portcullis_core::finding::Action;
use portcullis_core::kinds::{Kind, ObjectRef, decode};
use portcullis_testing::config::plan;
use portcullis_testing::pages::today;
use serde_json::{Value, json};

/// A view that counts how often it is acquired, and on which a review takes this long for each time.
struct CountedView<'v> {
    view: &'v Overlay<'v>,
    looks: Cell<u32>,
    each: Duration,
}

impl View for CountedView<'_> {
    fn look(&self, ask: &mut dyn FnMut(&Overlay<'_>)) {
        self.looks.set(self.looks.get() + 1);
        self.view.look(ask);
    }

    fn is_wanted(&self) -> bool {
        false
    }

    fn spent(&self) -> Duration {
        self.each * self.looks.get()
    }
}

fn ingress(namespace: &str, paths: impl Iterator<Item = usize>) -> String {
    let backend = json!({"service": {"name": "s", "port": {"number": 80}}});
    let path = |path: usize| json!({"path": format!("/{path}"), "pathType": "Prefix", "backend": backend});
    let rules = json!([{"host": "shop.example.com", "http": {"paths": paths.map(path).collect::<Value>()}}]);
    json!({"metadata": {"namespace": namespace, "name": "x"}, "spec": {"ingressClassName": "nginx", "rules": rules}})
        .to_string()
}

/// The outcome of creating `new` beside `other`, and how often the view was acquired.
fn create(plan: &Plan, new: &str, other: &str, each: Duration) -> (Outcome, u32) {
    write(plan, (new, None), &[other], each)
}

/// The outcome of a write of a new state, and of an old one if it is an update, beside others, and how often the view was
/// acquired.
fn write(plan: &Plan, (new, old): (&str, Option<&str>), others: &[&str], each: Duration) -> (Outcome, u32) {
    let mut cluster = Cluster::with(SyncState::Complete);
    for other in others {
        cluster.apply(Event::Apply(Facts::of(&decode(Kind::Ingress, other).expect("an Ingress"))));
    }
    let this = ObjectRef::new(Kind::Ingress, "team-b", "x");
    let overlay = Overlay::new(&cluster, &this);
    let view = CountedView { view: &overlay, looks: Cell::new(0), each };
    let operation = if old.is_some() { Operation::Update } else { Operation::Create };
    let write = Write { operation, this: &this, user: None, now: today() };
    let object = decode(Kind::Ingress, new).expect("an Ingress");
    let old = || old.map(|old| decode(Kind::Ingress, old).expect("an Ingress"));
    (plan.check(&object, old, &view, &write), view.looks.get())
}

fn denials(outcome: &Outcome) -> Vec<&'static str> {
    let denied = outcome.findings.iter().filter(|evaluated| evaluated.action == Action::Deny);
    denied.map(|evaluated| evaluated.finding.check).collect()
}

#[test]
fn view_is_released_after_each_part() {
    let plan = plan("");
    let other = ingress("web", std::iter::once(4 * CLAIMS_PER_TURN));
    let (small, least) = create(&plan, &ingress("team-b", 0..10), &other, Duration::ZERO);
    assert_eq!(denials(&small), [""; 0]);
    for last in [1, CLAIMS_PER_TURN, 4 * CLAIMS_PER_TURN] {
        // The path of the other team is the last one.
        let paths = (0..last).chain([4 * CLAIMS_PER_TURN]);
        let (outcome, looks) = create(&plan, &ingress("team-b", paths), &other, Duration::ZERO);
        assert_eq!(denials(&outcome), ["host/path-conflict"], "{last}");
        let parts = u32::try_from((last + 1).div_ceil(CLAIMS_PER_TURN)).expect("a few");
        assert!(looks >= least + parts - 1, "{looks} holds for {parts} parts, {least} for one");
    }
}

#[test]
fn review_that_takes_too_long_is_denied() {
    let new = ingress("team-b", 0..5 * CLAIMS_PER_TURN);
    let other = ingress("web", std::iter::once(9 * CLAIMS_PER_TURN));
    let each = |milliseconds| Duration::from_millis(milliseconds);
    let checks = |config: &str, milliseconds| denials(&create(&plan(config), &new, &other, each(milliseconds)).0);
    assert_eq!(checks("", 1), [""; 0]);
    assert_eq!(checks("", 30_000), ["object/too-costly"]);
    // Any of the other checks may not have run.
    for setting in ["checks: {object/too-costly: Off}", "checks: {object/*: Warn}", "themes: {conflict: Warn}"] {
        assert_eq!(checks(setting, 30_000), ["object/too-costly"], "{setting}");
    }
    let all_warn = "profile: audit\nchecks: {object/too-costly: Off}";
    for setting in ["maxAction: Warn", "profile: audit", all_warn, "checks: {'*': Off}"] {
        assert_eq!(checks(setting, 30_000), [""; 0], "{setting}");
    }
}

/// More findings than are kept, so that the check runs a third time, and the path of another team as the last one.
#[test]
fn update_is_denied_whenever_its_time_is_over() {
    let plan = plan("");
    let paths = 3 * CLAIMS_PER_TURN;
    let neighbor = ingress("team-b", 0..paths).replace("\"name\":\"x\"", "\"name\":\"neighbor\"");
    let shop = ingress("web", std::iter::once(9 * CLAIMS_PER_TURN));
    let (old, new) = (ingress("team-b", 0..paths), ingress("team-b", (0..paths).chain([9 * CLAIMS_PER_TURN])));
    let others = [&*neighbor, &shop];
    let each = |milliseconds: u64| Duration::from_millis(milliseconds);
    let (_, looks) = write(&plan, (&new, Some(&old)), &others, Duration::ZERO);
    let mut denied = Vec::new();
    for number in 0..=looks + 1 {
        // The time is over after this number of looks.
        let each = each(20_500) / number.max(1);
        let reasons = denials(&write(&plan, (&new, Some(&old)), &others, each).0);
        assert_ne!(reasons, [""; 0], "{number} of {looks}");
        denied.extend(reasons);
        let unchanged = write(&plan, (&old, Some(&old)), &others, each).0;
        assert_eq!(denials(&unchanged), [""; 0], "{number} of {looks}");
    }
    assert!(denied.contains(&"host/path-conflict") && denied.contains(&"object/too-costly"), "{denied:?}");
}
