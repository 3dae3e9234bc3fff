//! Parts of a valid configuration that have no effect, or another one than meant.

use portcullis_core::checks::Plan;
use portcullis_core::cluster::{Cluster, Event, Facts, NamespaceFacts, Overlay, Subject, SyncState};
use portcullis_core::config::ConfigFile;
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_testing::config::{plan, text};
use portcullis_testing::pages::today;

fn warnings(config: &str) -> Vec<String> {
    plan(config).ineffective(today()).iter().map(ToString::to_string).collect()
}

#[test]
fn a_profile_that_is_milder_than_settings_for_all_writes_is_reported() {
    let layered = "themes: {policy: Deny}\noverrides: [{match: {namespaces: {names: [web]}}, profile: baseline}]\n";
    let [warning] = &warnings(layered)[..] else { panic!("one warning is expected: {:?}", warnings(layered)) };
    let expected = "profile baseline is milder here than settings for all writes: themes.policy (at line 3; ";
    assert!(warning.starts_with("line 4, column ") && warning.contains(expected), "{warning}");
    assert!(warning.ends_with("; repeat them in the override if they shall apply there"), "{warning}");
    let by_id = layered.replace("themes: {policy: Deny}", "checks: {ingress/snippet: Deny}");
    assert!(warnings(&by_id)[0].contains("checks.ingress/snippet (at line 3; 1 checks"), "{:?}", warnings(&by_id));
}

#[test]
fn an_override_that_is_meant_to_be_milder_is_not_reported() {
    for config in [
        "themes: {policy: Warn}\noverrides: [{match: {namespaces: {names: [web]}}, profile: restricted, themes: {policy: Deny}}]\n",
        "themes: {policy: Deny}\noverrides: [{match: {namespaces: {names: [web]}}, profile: baseline, themes: {policy: Deny}}]\n",
        "themes: {policy: Deny}\noverrides: [{match: {namespaces: {names: [web]}}, profile: audit}]\n",
        "themes: {policy: Deny}\noverrides: [{match: {namespaces: {names: [web]}}, themes: {policy: Warn}}]\n",
        "profile: restricted\noverrides: [{match: {namespaces: {names: [web]}}, profile: baseline}]\n",
    ] {
        assert_eq!(warnings(config), [""; 0], "{config}");
    }
}

#[test]
fn a_maximum_that_holds_anyway_is_reported() {
    let of_web = |action: &str| format!("{{match: {{namespaces: {{names: [web]}}}}, maxAction: {action}}}");
    let overrides = |actions: &[&str]| {
        format!("overrides: [{}]\n", actions.iter().map(|action| of_web(action)).collect::<Vec<_>>().join(", "))
    };
    let warning = "line 3, column 12: maxAction: Deny has no effect: it is the maximum without it; remove it";
    assert_eq!(warnings("maxAction: Deny\n"), [warning]);
    for (config, line) in [
        (overrides(&["Deny"]), "line 3"),
        (format!("maxAction: Warn\n{}", overrides(&["Warn", "Deny"])), "line 4"),
        (format!("maxAction: Warn\nprofile: audit\n{}", overrides(&["Warn"])), "line 5"),
    ] {
        let [warning] = &warnings(&config)[..] else { panic!("one warning is expected: {:?}", warnings(&config)) };
        assert!(warning.starts_with(line) && warning.contains("has no effect"), "{warning}");
    }
    for config in [
        "maxAction: Warn\n".to_owned(),
        format!("maxAction: Warn\n{}", overrides(&["Deny", "Warn"])),
        overrides(&["Warn", "Deny"]),
    ] {
        assert_eq!(warnings(&config), [""; 0], "{config}");
    }
}

#[test]
fn a_selector_that_leaves_out_all_names_is_reported() {
    let selecting = |namespaces: &str| {
        warnings(&format!(
            "overrides: [{{match: {{namespaces: {{{namespaces}}}}}, checks: {{ingress/snippet: Deny}}}}]\n"
        ))
    };
    let warning = "line 3, column 21: overrides[0] selects no namespace: notNames leaves out all names";
    assert_eq!(selecting("names: [web, web-test], notNames: ['web*']"), [warning]);
    for namespaces in [
        "names: [web, shop], notNames: ['web*']",
        "notNames: ['web*']",
        "names: [web], labels: {tier: gold}, notNames: [web]",
    ] {
        assert_eq!(selecting(namespaces), [""; 0], "{namespaces}");
    }
}

/// A cluster with a Namespace that has this value of the label `policy`.
fn labeled(value: &str) -> Cluster {
    let mut cluster = Cluster::default();
    let facts = NamespaceFacts::new("web", [("policy".into(), value.into())]);
    cluster.apply(Event::Apply(Facts::Namespace(facts)));
    cluster.apply(Event::SyncState(Kind::Namespace, SyncState::Complete));
    cluster
}

#[test]
fn a_label_that_is_not_the_name_of_a_profile_is_reported() {
    let plan = plan("namespaceProfileLabel: policy\n");
    let error = |value: &str| {
        let (cluster, object) = (labeled(value), ObjectRef::new(Kind::Ingress, "web", "shop"));
        let subject = Subject { kind: Kind::Ingress, class: None, namespace: "web", user: None };
        let explained = plan.decide(&subject, &Overlay::new(&cluster, &object), today()).label_error;
        let checked = plan.mislabeled(&cluster, ["web"]);
        let checked: Vec<String> = checked.into_iter().map(|error| error.message).collect();
        assert_eq!(checked, explained.iter().cloned().collect::<Vec<_>>(), "both say the same");
        explained
    };
    assert_eq!(error("restricted"), None);
    let expected = "label policy=restriced of Namespace web has no effect: `restriced` is not a profile; use audit, baseline, restricted, kep-758";
    assert_eq!(error("restriced").as_deref(), Some(expected));
}

#[test]
fn errors_of_every_stage_are_reported_together() {
    let written = "hostOwnership:\n  hosts:\n  - {host: '*.{team}.example.com', namespaces: {names: [web]}}\nchecks: {ingress/snipet: Deny}\nprofil: baseline\nthemes: {policy: Never}\n";
    let wrong_kind = text(written).replace("PortcullisConfiguration", "PortcullisConfig");
    for (text, count) in [(text(written), 4), (wrong_kind, 5)] {
        let errors = Plan::read(&[ConfigFile { name: None, text: text.clone() }], |_| {}).expect_err("it has errors").0;
        assert_eq!(errors.len(), count, "{errors:?}\n{text}");
        assert!(errors.is_sorted_by(|left, right| left.at <= right.at), "{errors:?}");
    }
}
