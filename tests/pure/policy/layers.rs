//! Profiles, pins, themes and checks, each of which overrides the previous one.

use portcullis_core::checks::pinned_profile::PinnedProfile;
use portcullis_core::checks::resolve::resolve;
use portcullis_core::checks::{Actions, Check, Operation, Plan, Profile, Release, Run, Write, registry};
use portcullis_core::cluster::Overlay;
use portcullis_core::config::{Config, Spanned};
use portcullis_core::finding::Action;
use portcullis_testing::config::{plan, text};
use portcullis_testing::page::examples;
use portcullis_testing::pages::{self, cluster, manifests, today};

/// The ids of the checks that a plan runs, with their actions.
fn table(plan: &Plan) -> Vec<(&'static str, Action)> {
    plan.checks().map(|(check, action)| (check.id, action)).collect()
}

#[test]
fn profile_matches_declared_actions() {
    let of = |check: &Check| {
        let Actions { audit, baseline, restricted, kep_758 } = check.actions;
        [("audit", audit), ("baseline", baseline), ("restricted", restricted), ("kep-758", kep_758)]
    };
    for column in 0..4 {
        let name = of(&CHECK)[column].0;
        let declared = registry::all().map(|check| (check.id, of(check)[column].1));
        let declared: Vec<_> = declared.filter(|(_, action)| *action != Action::Off).collect();
        assert_eq!(table(&plan(&format!("profile: {name}"))), declared, "{name}");
        assert_eq!(table(&plan(&format!("profile: {name}@0.1"))), declared, "{name}, pinned to the first release");
    }
    assert_eq!(table(&plan("")), table(&plan("profile: baseline")));
}

#[test]
fn id_overrides_its_family_and_a_family_overrides_all() {
    let action = |checks: &str| {
        let plan = plan(&format!("checks: {{{checks}}}"));
        plan.checks().find(|(check, _)| check.id == "ingress/snippet").map(|(_, action)| action)
    };
    assert_eq!(action("'*': Off, 'ingress/*': Warn, ingress/snippet: Deny"), Some(Action::Deny));
    assert_eq!(action("'*': Deny, 'ingress/*': Off, ingress/snippet: Warn"), Some(Action::Warn));
    assert_eq!(action("'*': Off, 'ingress/*': Warn"), Some(Action::Warn));
    assert_eq!(action("'*': Warn, 'ingress/*': Off"), None);
}

/// Uses every example of every page with its options, but only with the actions of the profile.
#[test]
fn profile_audit_denies_nothing() {
    let mut warned = 0;
    for check in registry::all() {
        for example in examples(check.page).iter().filter(|example| example.findings.is_some()) {
            let mut config = pages::config(check, example);
            config.profile = Some(Spanned::without_position("audit".to_owned()));
            config.themes.clear();
            config.checks.values_mut().for_each(|setting| setting.action = None);
            let plan = Plan::new(config).expect("the configuration was read before");
            let documents = manifests(&example.yaml);
            let (reviewed, rest) = documents.split_first().expect("an example begins with the object under review");
            let Ok(object) = reviewed.object() else { continue };
            let cluster = cluster(rest);
            let cluster = cluster.read();
            let old = example.old.as_deref().map(manifests);
            let operation = match &old {
                _ if example.delete => Operation::Delete,
                Some(_) => Operation::Update,
                None => Operation::Stored,
            };
            let write = Write { operation, this: &reviewed.object_ref, user: None, now: today() };
            let old = || old.as_ref().and_then(|old| old[0].object().ok());
            let findings = plan.check(&object, old, &Overlay::new(&cluster, &reviewed.object_ref), &write).findings;
            assert!(findings.iter().all(|evaluated| evaluated.action < Action::Deny), "{}: {findings:?}", check.id);
            warned += findings.len();
        }
    }
    assert!(warned > 100, "only {warned} warnings");
}

static CHECK: Check = Check { id: "ingress/any", run: Run::Ingress(|_, _, _| {}), ..Check::shape(Actions::DENY) };
static NEWER: Check = Check { since: Release(0, 2), ..CHECK };
static STRICTER: Check = Check { stricter: &[(Release(0, 2), Profile::Baseline)], ..CHECK };

fn action(check: &'static Check, profile: Profile, release: Option<Release>, config: &str) -> Action {
    let config = Config::parse(&text(config)).unwrap_or_else(|error| panic!("{error}"));
    resolve(check, PinnedProfile { profile, release, strict_document: false }, &config).action
}

#[test]
fn a_pin_keeps_later_checks_to_warnings() {
    let (old, new) = (Some(Release(0, 1)), Some(Release(0, 2)));
    let baseline = |check, release| action(check, Profile::Baseline, release, "");
    assert_eq!(baseline(&CHECK, old), Action::Deny);
    for check in [&NEWER, &STRICTER] {
        assert_eq!(baseline(check, old), Action::Warn);
        assert_eq!(baseline(check, new), Action::Deny);
        assert_eq!(baseline(check, None), Action::Deny, "without a pin");
        let with = |config| action(check, Profile::Baseline, old, config);
        for wide in ["themes: {shape: Deny}", "checks: {'*': Deny}", "checks: {ingress/*: Deny}"] {
            assert_eq!(with(wide), Action::Warn, "{wide}");
        }
        assert_eq!(
            with("checks: {ingress/any: Deny}"),
            Action::Deny,
            "a setting for the id of a check applies in full"
        );
        assert_eq!(with("checks: {'*': Off}"), Action::Off);
    }
    assert_eq!(action(&STRICTER, Profile::Restricted, old, ""), Action::Deny, "it grew stricter in another profile");
    assert_eq!(action(&NEWER, Profile::Audit, old, ""), Action::Warn);
}

#[test]
fn the_strict_document_denies_where_a_profile_denies_anything() {
    let conflict = |config: &str| {
        let plan = plan(&format!("status: {{strictDocument: true}}\n{config}"));
        plan.strictest().find(|(check, _)| check.id == "ingress-route/strategy-conflict").map(|(_, action)| action)
    };
    for (config, expected) in [
        ("", Action::Deny),
        ("profile: kep-758", Action::Deny),
        ("profile: audit", Action::Warn),
        ("profile: audit\noverrides: [{match: {namespaces: {names: [web]}}, profile: baseline}]", Action::Deny),
        ("themes: {conflict: Warn}", Action::Warn),
        ("checks: {ingress-route/strategy-conflict: Warn}", Action::Warn),
    ] {
        assert_eq!(conflict(config), Some(expected), "{config}");
    }
}

#[test]
fn most_specific_setting_wins() {
    let snippet = |config: &str| {
        let plan = plan(config);
        let found = plan.checks().find(|(check, _)| check.id == "ingress/snippet").map(|(_, action)| action);
        found.unwrap_or(Action::Off)
    };
    let layers =
        ["profile: restricted", "themes: {policy: Audit}", r#""*": Warn"#, "ingress/*: Off", "ingress/snippet: Deny"];
    let written = |layers: &[&str]| match layers {
        [profile, themes, checks @ ..] if !checks.is_empty() => {
            format!("{profile}\n{themes}\nchecks: {{{}}}", checks.join(", "))
        }
        other => other.join("\n"),
    };
    let after: Vec<_> = (1..=5).map(|count| snippet(&written(&layers[..count]))).collect();
    assert_eq!(after, [Action::Deny, Action::Audit, Action::Warn, Action::Off, Action::Deny]);
    let backwards =
        "checks: {ingress/snippet: Deny, ingress/*: Off, '*': Warn}\nthemes: {policy: Audit}\nprofile: audit";
    assert_eq!(snippet(backwards), Action::Deny, "the order of the lines says nothing");
    assert_eq!(
        snippet("checks: {ingress/*: Deny, ingress/snippet: {prefixes: [nginx.org/]}}"),
        Action::Deny,
        "no action leaves the one below"
    );
    assert_eq!(
        snippet("themes: {shape: Off, reference: Off, conflict: Off, tenancy: Off}"),
        Action::Warn,
        "another theme"
    );
}
