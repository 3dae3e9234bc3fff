//! The maximum action, for all writes and in overrides.

use std::collections::BTreeMap;

use portcullis_core::checks::Plan;
use portcullis_core::checks::decision::Decisions;
use portcullis_core::cluster::{Cluster, Event, Facts, NamespaceFacts, Overlay, Subject, SyncState};
use portcullis_core::finding::Action;
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};
use portcullis_testing::config::plan;
use portcullis_testing::pages::today;
use portcullis_testing::rng::Rng;

use super::effect::Effect::{Denies, Silent, Warns};
use super::effect::{SNIPPET, effect, effect_in, effects};
use super::review_fixture::{Review, SOUND, ingress};

/// An entry of `overrides` for the Namespaces with a label.
fn labeled(team: &str, rest: &str) -> String {
    format!("{{match: {{namespaces: {{labels: {{team: {team}}}}}}}, {rest}}}")
}

#[test]
fn a_policy_can_warn_everywhere_and_deny_where_it_is_ready() {
    let restricted = "profile: restricted\nmaxAction: Warn\n";
    assert_eq!(effects("profile: restricted"), [Denies; 3]);
    assert_eq!(effects(restricted), [Warns; 3]);
    let ready = format!("{restricted}overrides: [{}]", labeled("bank", "maxAction: Deny"));
    assert_eq!(effects(&ready), [Warns, Denies, Warns]);
    let lagging = format!("profile: restricted\noverrides: [{}]", labeled("lab", "maxAction: Warn"));
    assert_eq!(effects(&lagging), [Denies, Denies, Warns]);
    let both = format!(
        "{restricted}overrides: [{{match: {{namespaces: {{names: ['*']}}}}, maxAction: Deny}}, {}]",
        labeled("lab", "maxAction: Warn")
    );
    assert_eq!(effects(&both), [Denies, Denies, Warns], "the last one wins");
}

#[test]
fn the_maximum_limits_every_layer_and_raises_none() {
    for config in [
        "checks: {ingress/snippet: Deny}",
        "themes: {policy: Deny}",
        "checks: {ingress/snippet: {action: Deny, match: {namespaces: {names: ['*']}}}}",
        "overrides: [{match: {namespaces: {names: ['*']}}, profile: restricted}]",
        "namespaceProfileLabel: policy",
    ] {
        assert_eq!(effects(&format!("maxAction: Warn\n{config}")), [Warns; 3], "{config}");
    }
    for (milder, expected) in [("Off", Silent), ("Audit", Silent), ("Warn", Warns)] {
        assert_eq!(effects(&format!("maxAction: Warn\nchecks: {{ingress/snippet: {milder}}}")), [expected; 3]);
        assert_eq!(effects(&format!("maxAction: Deny\nchecks: {{ingress/snippet: {milder}}}")), [expected; 3]);
    }
    let exempt = "maxAction: Warn\nexemptions: [{checks: [ingress/snippet], match: {users: [alice]}, reason: any}]";
    assert_eq!(effects(exempt), [Silent; 3]);
}

#[test]
fn unknown_labels_neither_deny_nor_silence() {
    let raises = format!("profile: restricted\nmaxAction: Warn\noverrides: [{}]", labeled("shop", "maxAction: Deny"));
    let lowers = format!("profile: restricted\noverrides: [{}]", labeled("shop", "maxAction: Warn"));
    for unknown in [SyncState::Forbidden, SyncState::NotServed] {
        assert_eq!(effect_in("gone", &raises, unknown), Warns, "it may not be denied");
        assert_eq!(effect_in("gone", &lowers, unknown), Warns, "it may be a warning");
        let settled = lowers.replace("}]", "}, {match: {users: [alice]}, maxAction: Deny}]");
        assert_eq!(effect_in("gone", &settled, unknown), Denies, "a later override decides");
    }
}

#[test]
fn labels_that_have_not_arrived_are_waited_for() {
    let object = ingress("gone/shop", SNIPPET, "shop.example.com", "/");
    let waits = |config: &str| {
        let namespaces = SyncState::NotSynced;
        let review = Review { config, object: &object, rest: SOUND, namespaces, ..Review::default() };
        review.try_response().is_err()
    };
    let denied = "checks: {ingress/snippet: Deny}\n";
    let raised = labeled("bank", "maxAction: Deny");
    assert!(waits(&format!("{denied}maxAction: Warn\noverrides: [{raised}]")));
    assert!(waits(&format!("{denied}overrides: [{}]", labeled("bank", "maxAction: Warn"))));
    assert!(!waits(&format!("maxAction: Warn\noverrides: [{raised}]")), "the check only warns");
    let tightened = labeled("bank", "checks: {ingress/snippet: Deny}");
    assert!(waits(&format!("overrides: [{tightened}]")));
    assert!(!waits(&format!("maxAction: Warn\noverrides: [{tightened}]")), "nothing can be denied");
    assert!(waits(&format!("maxAction: Warn\noverrides: [{tightened}, {raised}]")), "both may apply");
}

#[test]
fn second_class_cannot_relax_max_action() {
    let annotations =
        "annotations: {nginx.ingress.kubernetes.io/server-snippet: any, kubernetes.io/ingress.class: internal}";
    let object = ingress("web/shop", annotations, "shop.example.com", "/");
    let effect = |config: &str| effect(&Review { config, object: &object, rest: SOUND, ..Review::default() });
    for class in ["nginx", "internal"] {
        let only = |action: &str| format!("overrides: [{{match: {{ingressClasses: [{class}]}}, maxAction: {action}}}]");
        assert_eq!(effect(&format!("profile: restricted\nmaxAction: Warn\n{}", only("Deny"))), Denies, "{class}");
        assert_eq!(effect(&format!("profile: restricted\n{}", only("Warn"))), Denies, "{class}");
    }
    let both = "profile: restricted\noverrides: [{match: {ingressClasses: [nginx, internal]}, maxAction: Warn}]";
    assert_eq!(effect(both), Warns);
}

#[test]
fn checks_that_only_warn_need_no_kinds_to_deny() {
    let ids = |plan: &Plan, wanted: Action| plan.checks().filter(|(_, action)| *action == wanted).count();
    let (strict, warning) = (plan("profile: restricted"), plan("profile: restricted\nmaxAction: Warn"));
    assert_ne!(strict.needs_to_deny(), KindSet::EMPTY);
    assert_eq!(warning.needs_to_deny(), KindSet::EMPTY);
    assert_eq!(warning.needs(), strict.needs());
    assert_eq!(ids(&warning, Action::Deny), 0);
    assert_eq!(ids(&warning, Action::Warn), ids(&strict, Action::Warn) + ids(&strict, Action::Deny));
    let somewhere = plan(
        "profile: restricted\nmaxAction: Warn\noverrides: [{match: {namespaces: {names: [bank]}}, maxAction: Deny}]",
    );
    assert_eq!(somewhere.needs_to_deny(), strict.needs_to_deny());
}

#[test]
fn config_explain_names_each_maximum() {
    let config = plan(&format!(
        "profile: restricted\nmaxAction: Warn\noverrides:\n- {}\n- {}\n",
        labeled("shop", "maxAction: Deny"),
        labeled("shop", "checks: {ingress/tls-missing: Warn}")
    ));
    let decisions = decisions(&config, SyncState::Complete);
    let steps = |id: &str| {
        let steps = decisions.checks.iter().find(|decision| decision.check.id == id).map(|decision| &decision.steps);
        let steps = steps.into_iter().flatten().map(|step| format!("{} {} {}", step.action, step.source, step.at));
        steps.collect::<Vec<_>>()
    };
    assert_eq!(
        steps("ingress/snippet"),
        [
            "Deny profile restricted line 3, column 10",
            "Warn maxAction line 4, column 12",
            "Deny overrides[0].maxAction line 6, column 60"
        ]
    );
    let of_override = "Warn overrides[1].checks.ingress/tls-missing line 7, column 58";
    assert_eq!(steps("ingress/tls-missing"), ["Deny profile restricted line 3, column 10", of_override]);
}

/// The decisions about an Ingress in the Namespace `web`, whose labels are known if Namespaces are.
fn decisions(plan: &Plan, namespaces: SyncState) -> Decisions {
    let mut cluster = Cluster::default();
    cluster.apply(Event::SyncState(Kind::Namespace, namespaces));
    if namespaces == SyncState::Complete {
        let facts =
            NamespaceFacts::new("web", [("team".into(), "shop".into()), ("policy".into(), "restricted".into())]);
        cluster.apply(Event::Apply(Facts::Namespace(facts)));
    }
    let object = ObjectRef::new(Kind::Ingress, "web", "shop");
    let subject = Subject { kind: Kind::Ingress, class: Some("nginx"), namespace: "web", user: None };
    plan.decide(&subject, &Overlay::new(&cluster, &object), today())
}

/// A configuration with random layers, with a maximum in some of them, and the same without.
fn random_pair(rng: &mut Rng) -> [String; 2] {
    let max = |rng: &mut Rng| ["", "maxAction: Warn", "maxAction: Deny"][rng.below(3)];
    let action = |rng: &mut Rng| rng.pick(&["Off", "Audit", "Warn", "Deny"]);
    let matches = [
        "{namespaces: {names: [web]}}",
        "{namespaces: {labels: {team: shop}}}",
        "{namespaces: {labels: {team: bank}}}",
        "{ingressClasses: [nginx]}",
    ];
    let base = rng.pick(&["audit", "baseline", "restricted"]);
    let mut with = format!("profile: {base}\n{}\nthemes: {{policy: {}}}\n", max(rng), action(rng));
    if rng.one_in(2) {
        with.push_str("namespaceProfileLabel: policy\n");
    }
    with.push_str("overrides:\n");
    for _ in 0..=rng.below(3) {
        let (only, action, max) = (rng.pick(&matches), action(rng), max(rng));
        with.push_str(&format!(
            "- match: {only}\n  themes: {{tenancy: {action}}}\n  checks: {{'*': {action}}}\n  {max}\n"
        ));
    }
    let without = ["maxAction: Warn", "maxAction: Deny"].iter().fold(with.clone(), |text, max| text.replace(max, ""));
    [with, without]
}

/// A maximum never makes an action stricter, and makes none milder than a warning.
#[test]
fn a_maximum_only_turns_denials_into_warnings() {
    let mut rng = Rng::new(17);
    let mut changed = BTreeMap::<bool, usize>::new();
    for _ in 0..60 {
        let [with, without] = random_pair(&mut rng);
        let plans = [plan(&with), plan(&without)];
        for namespaces in [SyncState::Complete, SyncState::Forbidden] {
            let [limited, free] = plans.each_ref().map(|plan| decisions(plan, namespaces).checks);
            for (limited, free) in limited.iter().zip(&free) {
                let (after, before) = (limited.action(), free.action());
                let is_sound = after == before || (before == Action::Deny && after == Action::Warn);
                assert!(is_sound, "{}: {before} became {after}\n{with}", limited.check.id);
                *changed.entry(after != before).or_default() += 1;
            }
        }
    }
    assert!(changed.len() == 2 && changed.values().all(|count| *count > 100), "{changed:?}");
}
