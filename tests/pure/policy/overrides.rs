//! Settings for some of the writes: checks with a match, overrides, and the profile that a label of the Namespace chooses.

use portcullis_core::cluster::SyncState;
use portcullis_core::kinds::Kind;
use portcullis_testing::config::plan;

use super::effect::Effect::{Denies, Silent, Warns};
use super::effect::{SNIPPET, effect, effect_in, effects};
use super::review_fixture::{Review, SOUND, ingress};

#[test]
fn a_match_leaves_the_layer_below_in_effect_elsewhere() {
    let two_lines =
        "checks:\n  ingress/*: Warn\n  ingress/snippet: {action: Deny, match: {namespaces: {names: [bank]}}}";
    assert_eq!(effects(two_lines), [Warns, Denies, Warns]);
    let of_profile = "checks: {ingress/snippet: {action: Deny, match: {namespaces: {names: [bank]}}}}";
    assert_eq!(effects(of_profile), [Warns, Denies, Warns], "baseline warns");
    let milder = "profile: restricted\nchecks: {ingress/tls-missing: Off, ingress/snippet: {action: Off, match: {namespaces: {names: [bank]}}}}";
    assert_eq!(effects(milder), [Denies, Silent, Denies]);
    let more_specific = "checks: {'*': {action: Deny, match: {namespaces: {names: [bank]}}}, ingress/snippet: Warn}";
    assert_eq!(effects(more_specific), [Warns, Warns, Warns], "the id is more specific than `*`");
}

#[test]
fn later_overrides_win() {
    let config = "
overrides:
- {match: {namespaces: {names: [bank, lab]}}, checks: {ingress/snippet: Deny}}
- {match: {namespaces: {labels: {team: lab}}}, themes: {policy: Off}}
- {match: {namespaces: {names: [nowhere]}}, checks: {ingress/snippet: Off}}";
    assert_eq!(effects(config), [Warns, Denies, Silent]);
    let inside = "
overrides:
- match: {namespaces: {names: ['*']}, groups: [dev]}
  profile: restricted
  themes: {policy: Warn}
  checks: {ingress/tls-missing: Off, '*': Audit, ingress/snippet: Deny}";
    assert_eq!(effects(inside), [Denies, Denies, Denies], "the id wins inside an override, too");
    let exempt = "
overrides: [{match: {namespaces: {names: [bank]}}, checks: {ingress/snippet: Deny}}]
exemptions: [{checks: [ingress/snippet], match: {namespaces: {names: [bank]}}, reason: any}]";
    assert_eq!(effects(exempt), [Warns, Silent, Warns], "exemptions come last");
}

#[test]
fn an_override_selects_by_every_attribute() {
    for (only, expected) in [
        ("{namespaces: {names: [web]}}", Denies),
        ("{namespaces: {names: ['we*']}}", Denies),
        ("{namespaces: {notNames: [web]}}", Warns),
        ("{namespaces: {notNames: ['kube-*']}}", Denies),
        ("{namespaces: {names: ['*'], notNames: ['w*']}}", Warns),
        ("{namespaces: {labels: {team: shop}}}", Denies),
        ("{namespaces: {labels: {team: shop}, notNames: [web]}}", Warns),
        ("{namespaces: {matchExpressions: [{key: team, operator: In, values: [bank, shop]}]}}", Denies),
        ("{namespaces: {matchExpressions: [{key: team, operator: NotIn, values: [bank, shop]}]}}", Warns),
        ("{namespaces: {matchExpressions: [{key: tier, operator: NotIn, values: [gold]}]}}", Denies),
        ("{namespaces: {matchExpressions: [{key: team, operator: Exists}]}}", Denies),
        ("{namespaces: {matchExpressions: [{key: tier, operator: Exists}]}}", Warns),
        ("{namespaces: {matchExpressions: [{key: tier, operator: DoesNotExist}]}}", Denies),
        ("{namespaces: {labels: {team: shop}, matchExpressions: [{key: tier, operator: Exists}]}}", Warns),
        ("{namespaces: {labels: {kubernetes.io/metadata.name: web}}}", Denies),
        ("{namespaces: {labels: {kubernetes.io/metadata.name: web, team: shop}}}", Denies),
        ("{namespaces: {labels: {kubernetes.io/metadata.name: bank, team: shop}}}", Warns),
        ("{ingressClasses: [nginx]}", Denies),
        ("{ingressClasses: [other]}", Warns),
        ("{users: [alice]}", Denies),
        ("{users: [bob]}", Warns),
        ("{groups: [dev]}", Denies),
        ("{groups: [ops]}", Warns),
        ("{groups: [dev], namespaces: {names: [bank]}}", Warns),
    ] {
        let config = format!("overrides: [{{match: {only}, checks: {{ingress/snippet: Deny}}}}]");
        assert_eq!(effect_in("web", &config, SyncState::Complete), expected, "{only}");
    }
}

/// A label that is not known neither refuses a write nor silences a finding. Those of a Namespace that is not there yet are not known:
/// without it, the API server would refuse the write.
#[test]
fn unknown_labels_neither_deny_nor_silence() {
    let by_label = |action: &str| {
        format!(
            "overrides: [{{match: {{namespaces: {{labels: {{team: shop}}}}}}, checks: {{ingress/snippet: {action}}}}}]"
        )
    };
    let denied = "profile: restricted\nchecks: {ingress/tls-missing: Off}";
    for unknown in [SyncState::Forbidden, SyncState::NotServed, SyncState::Complete] {
        let effect = |config: &str| effect_in("gone", config, unknown);
        assert_eq!(effect(&by_label("Deny")), Warns, "a layer that tightens does not apply");
        assert_eq!(effect(denied), Denies);
        for milder in ["Off", "Audit", "Warn"] {
            assert_eq!(effect(&format!("{denied}\n{}", by_label(milder))), Warns, "{milder}: it may not be denied");
        }
        assert_eq!(effect(&by_label("Off")), Warns, "a warning stays");
        let settled = format!(
            "{denied}\n{}",
            by_label("Off").replace("}]", "}, {match: {users: [alice]}, checks: {ingress/snippet: Deny}}]")
        );
        assert_eq!(effect(&settled), Denies, "a later layer decides");
        assert_eq!(effect("namespaceProfileLabel: policy"), Warns);
        let named = by_label("Deny").replace("team: shop", "kubernetes.io/metadata.name: gone");
        assert_eq!(effect(&named), Denies, "this label is always known");
        let match_of_check = "checks: {ingress/snippet: {action: Deny, match: {namespaces: {labels: {team: shop}}}}}";
        assert_eq!(effect(match_of_check), Warns);
    }
}

/// Until the Namespaces have arrived, a write that could be denied is sent again.
#[test]
fn labels_that_have_not_arrived_are_waited_for() {
    let object = ingress("gone/shop", SNIPPET, "shop.example.com", "/");
    let waits = |config: &str| {
        let namespaces = SyncState::NotSynced;
        let review = Review { config, object: &object, rest: SOUND, namespaces, ..Review::default() };
        review.try_response().is_err()
    };
    let labels = "match: {namespaces: {labels: {team: bank}}}";
    assert!(waits(&format!("overrides: [{{{labels}, checks: {{ingress/snippet: Deny}}}}]")));
    assert!(waits(&format!(
        "checks: {{ingress/snippet: Off}}\noverrides: [{{{labels}, checks: {{ingress/snippet: Deny}}}}]"
    )));
    assert!(waits(&format!(
        "checks: {{ingress/snippet: Deny}}\noverrides: [{{{labels}, checks: {{ingress/snippet: Off}}}}]"
    )));
    assert!(waits("namespaceProfileLabel: policy"));
    assert!(
        !waits(&format!("overrides: [{{{labels}, checks: {{ingress/snippet: Audit}}}}]")),
        "no denial depends on it"
    );
    assert!(!waits(&format!("overrides: [{{{labels}, checks: {{ingress/tls-missing: Warn}}}}]")), "another check");
    let named = "match: {namespaces: {names: [bank]}}";
    assert!(!waits(&format!("overrides: [{{{named}, checks: {{ingress/snippet: Deny}}}}]")));
}

/// Of two classes, a layer that tightens needs one, and one that relaxes needs both: nobody escapes by naming another class.
#[test]
fn second_class_cannot_relax_max_action() {
    let annotations =
        "annotations: {nginx.ingress.kubernetes.io/server-snippet: any, kubernetes.io/ingress.class: internal}";
    let object = ingress("web/shop", annotations, "shop.example.com", "/");
    let effect = |config: &str| effect(&Review { config, object: &object, rest: SOUND, ..Review::default() });
    for class in ["nginx", "internal"] {
        let only = |action: &str| {
            format!("overrides: [{{match: {{ingressClasses: [{class}]}}, checks: {{ingress/snippet: {action}}}}}]")
        };
        assert_eq!(effect(&only("Deny")), Denies, "{class}");
        assert_eq!(effect(&only("Off")), Warns, "{class}");
    }
    let both = "overrides: [{match: {ingressClasses: [nginx, internal]}, checks: {ingress/snippet: Off}}]";
    assert_eq!(effect(both), Silent);
    let risky = |classes: &str| {
        format!(
            "checks: {{ingress/snippet: Off, ingress/annotation-risky: {{action: Deny, maxRisk: High}}}}
overrides: [{{match: {{ingressClasses: {classes}}}, checks: {{ingress/annotation-risky: {{action: Deny, maxRisk: Critical}}}}}}]"
        )
    };
    assert_eq!(effect(&risky("[internal]")), Denies, "options that allow more need both classes, too");
    assert_eq!(effect(&risky("[nginx, internal]")), Silent);
}

/// What a milder layer allowed does not excuse the same fault where a stricter one applies.
#[test]
fn an_update_does_not_carry_a_tolerated_fault_into_a_stricter_class() {
    let config = "overrides: [{match: {ingressClasses: [nginx]}, checks: {ingress/snippet: Deny}}]";
    let object = ingress("web/shop", SNIPPET, "shop.example.com", "/");
    let other = object.replace("ingressClassName: nginx", "ingressClassName: internal");
    let effect_of =
        |old: &str, object: &str| effect(&Review { config, object, old: Some(old), rest: SOUND, ..Review::default() });
    assert_eq!(effect_of(&other, &object), Denies);
    let labeled = object.replace("metadata: {", "metadata: {labels: {a: b}, ");
    assert_eq!(effect_of(&object, &labeled), Warns, "it was so before, in the same class");
}

#[test]
fn options_of_a_layer_apply_to_its_writes() {
    let config = "
checks:
  ingress/annotation-risky: {action: Deny, maxRisk: Critical}
  ingress/snippet: Off
overrides:
- {match: {namespaces: {names: [bank]}}, checks: {ingress/annotation-risky: {maxRisk: High}}}
- {match: {namespaces: {names: [lab]}}, checks: {ingress/annotation-risky: {action: Warn, maxRisk: High}}}";
    assert_eq!(effects(config), [Silent, Denies, Warns]);
    let unknown =
        config.replace("{names: [bank]}", "{labels: {team: bank}}").replace("maxRisk: Critical", "maxRisk: High");
    assert_eq!(effect_in("gone", &unknown, SyncState::Forbidden), Denies, "the same options allow nothing more");
    let other = unknown.replacen(
        "bank}}}, checks: {ingress/annotation-risky: {maxRisk: High",
        "bank}}}, checks: {ingress/annotation-risky: {maxRisk: Critical",
        1,
    );
    assert_ne!(other, unknown);
    assert_eq!(effect_in("gone", &other, SyncState::Forbidden), Warns, "other options could allow it");
}

#[test]
fn the_label_of_a_namespace_can_only_tighten() {
    let label = "namespaceProfileLabel: policy";
    assert_eq!(effects(label), [Warns, Denies, Warns], "no label, restricted, audit");
    assert_eq!(effect_in("odd", label, SyncState::Complete), Warns, "no profile has this name");
    let denied = format!("{label}\nchecks: {{ingress/snippet: Deny}}");
    assert_eq!(effects(&denied), [Denies, Denies, Denies], "audit does not relax");
    let off = format!("{label}\noverrides: [{{match: {{namespaces: {{names: ['*']}}}}, themes: {{policy: Off}}}}]");
    assert_eq!(effects(&off), [Silent, Denies, Warns], "the stricter of the two, whatever the overrides say");
    let exempt =
        format!("{label}\nexemptions: [{{checks: [ingress/snippet], match: {{users: [alice]}}, reason: any}}]");
    assert_eq!(effects(&exempt), [Silent, Silent, Silent]);
}

#[test]
fn plan_knows_what_its_layers_need() {
    let needs_groups = |config: &str| plan(config).needs_groups();
    assert!(needs_groups("overrides: [{match: {groups: [dev]}, checks: {ingress/snippet: Deny}}]"));
    assert!(!needs_groups("overrides: [{match: {users: [dev]}, checks: {ingress/snippet: Deny}}]"));
    let kinds = |config: &str| plan(config).needs();
    let without = "themes: {shape: Off, reference: Off, conflict: Off, tenancy: Off, policy: Off}\ndefaults: {ingress/default-class: {enabled: false}}";
    assert!(!kinds(without).contains(Kind::Namespace));
    let labels = format!(
        "{without}\noverrides: [{{match: {{namespaces: {{labels: {{a: b}}}}}}, checks: {{ingress/snippet: Deny}}}}]"
    );
    assert!(kinds(&labels).contains(Kind::Namespace), "labels of Namespaces");
    assert!(kinds(&format!("{without}\nnamespaceProfileLabel: policy")).contains(Kind::Namespace));
    let deny = "overrides: [{match: {users: [a]}, checks: {ingress/service-not-found: Deny}}]";
    assert!(plan(deny).needs_to_deny().contains(Kind::Service), "some write may be denied");
}
