//! Configurations of several files.

use portcullis_core::checks::Plan;
use portcullis_core::config::ConfigFile;
use portcullis_core::finding::Action;
use portcullis_testing::config::text;

fn read(files: &[(&str, &str)]) -> Result<Plan, String> {
    let file = |(name, config): &(&str, &str)| ConfigFile { name: Some((*name).into()), text: text(config) };
    let files: Vec<ConfigFile> = files.iter().map(file).collect();
    Plan::read(&files, |_| {}).map_err(|errors| errors.to_string())
}

fn action(plan: &Plan, id: &str) -> Action {
    plan.checks().find(|(check, _)| check.id == id).map_or(Action::Off, |(_, action)| action)
}

#[test]
fn maps_merge_and_lists_append() {
    let plan = read(&[
        (
            "a.yaml",
            "profile: restricted\nthemes: {policy: Warn}\nchecks: {ingress/snippet: {action: Deny}}\nhostOwnership: {hosts: [{host: a.com, namespaces: {names: [a]}}]}",
        ),
        (
            "b.yaml",
            "themes: {conflict: Audit}\nchecks: {ingress/snippet: {prefixes: [nginx.org/]}, ingress/tls-missing: Off}",
        ),
        (
            "c.yaml",
            "profile: restricted\nhostOwnership: {unlisted: Deny, hosts: [{host: b.com, namespaces: {names: [b]}}]}\nexemptions:",
        ),
    ]);
    let plan = plan.expect("they fit together");
    assert_eq!(action(&plan, "ingress/snippet"), Action::Deny);
    assert_eq!(action(&plan, "ingress/tls-missing"), Action::Off);
    assert_eq!(action(&plan, "host/path-conflict"), Action::Audit);
    let hosts: Vec<&str> = plan.config().host_ownership.hosts.iter().map(|entry| entry.host.as_str()).collect();
    assert_eq!(hosts, ["a.com", "b.com"], "in the order of the files");
}

#[test]
fn contradictions_name_both_files() {
    for (files, expected) in [
        (
            [
                ("a.yaml", "hostOwnership: {hosts: [{host: a.com, namespaces: {names: [a]}}]}"),
                ("b.yaml", "hostOwnership: {hosts: [{host: a.com, namespaces: {names: [b]}}]}"),
            ],
            "b.yaml: line 3, column 32: `a.com` already has an entry in a.yaml at line 3",
        ),
        (
            [("a.yaml", "profile: audit"), ("b.yaml", "profile: baseline")],
            "b.yaml: line 3, column 10: `profile` is `baseline` here, but `audit` in a.yaml at line 3; set it once",
        ),
        (
            [("a.yaml", "checks: {ingress/snippet: Deny}"), ("b.yaml", "checks: {ingress/snippet: {action: Deny}}")],
            "b.yaml: line 3, column 27: `ingress/snippet` is written in another form in a.yaml at line 3; set it once",
        ),
        (
            [("a.yaml", "dataPlanes: [[public]]"), ("b.yaml", "dataPlanes: [[public]]")],
            "b.yaml: line 3, column 15: class `public` is already in a data plane in a.yaml at line 3",
        ),
    ] {
        assert_eq!(read(&files).expect_err("they contradict each other"), expected);
    }
}

#[test]
fn faults_of_all_files_are_reported() {
    let mut files = [("a.yaml", "profil: audit"), ("b.yaml", "themes: [")]
        .map(|(name, config)| ConfigFile { name: Some(name.into()), text: text(config) })
        .to_vec();
    files.push(ConfigFile { name: Some("kustomization.yaml".into()), text: "kind: Kustomization\n".to_owned() });
    files.push(ConfigFile { name: Some("list.yaml".into()), text: "[a]".to_owned() });
    files.push(ConfigFile { name: Some("two.yaml".into()), text: [text(""), text("")].join("---\n") });
    let errors = Plan::read(&files, |_| {}).expect_err("each has a fault").to_string();
    let lines: Vec<&str> = errors.lines().collect();
    let [profile, syntax, version, kind, list, two] = lines[..] else { panic!("{errors}") };
    assert_eq!(profile, "a.yaml: line 3, column 1: unknown field `profil`; did you mean `profile`?");
    assert!(syntax.starts_with("b.yaml: line "), "{syntax}");
    assert_eq!(version, "kustomization.yaml: line 1, column 1: missing field `apiVersion`");
    assert_eq!(
        kind,
        "kustomization.yaml: line 1, column 7: kind must be `PortcullisConfiguration`, not `Kustomization`"
    );
    let map = "the file must be a map that begins with `apiVersion: config.portcullis.dev/v1alpha1`";
    assert_eq!(list, format!("list.yaml: line 1, column 1: {map}"));
    let one = "a configuration is one document; write a second one to another file";
    assert_eq!(two, format!("two.yaml: line 3, column 1: {one}"));
}

/// A file with a wrong head is read if one half of the head is right.
#[test]
fn a_wrong_head_hides_no_other_fault() {
    let files = [
        ("a.yaml", "apiVersion: v1\nkind: PortcullisConfiguration\nprofile: strict\n".to_owned()),
        ("b.yaml", text("profil: audit")),
        (
            "c.yaml",
            "apiVersion: config.portcullis.dev/v1alpha1\nhandovers: [{host: a.com, from: a, to: a}]\n".to_owned(),
        ),
    ];
    let files = files.map(|(name, text)| ConfigFile { name: Some(name.into()), text });
    let errors = Plan::read(&files, |_| {}).expect_err("each has a fault").to_string();
    let expected = [
        "a.yaml: line 1, column 13: apiVersion must be `config.portcullis.dev/v1alpha1`, not `v1`",
        "a.yaml: line 3, column 10: unknown profile `strict`; did you mean `restricted`?",
        "b.yaml: line 3, column 1: unknown field `profil`; did you mean `profile`?",
        "c.yaml: line 1, column 1: missing field `kind`",
        "c.yaml: line 2, column 20: a handover from a to a changes nothing",
    ];
    assert_eq!(errors, expected.join("\n"));
    let alone = ConfigFile { name: None, text: "kind: PortcullisConfiguration\nprofile: strict\n".to_owned() };
    let errors = Plan::read(&[alone], |_| {}).expect_err("it has two faults").to_string();
    let unknown = "line 2, column 10: unknown profile `strict`; did you mean `restricted`?";
    assert_eq!(errors, format!("line 1, column 1: missing field `apiVersion`\n{unknown}"));
}

#[test]
fn wildcards_switch_on_what_only_this_profile_has_off() {
    let of = |profile: &str, config: &str| {
        let plan = read(&[("a.yaml", &format!("profile: {profile}\n{config}"))]).expect("a valid configuration");
        ["ingress/tls-missing", "host/not-unique", "ingress/snippet"].map(|id| action(&plan, id))
    };
    let (off, warn) = (Action::Off, Action::Warn);
    assert_eq!(of("baseline", ""), [off, off, warn], "host/not-unique is off in every profile");
    assert_eq!(of("baseline", "checks: {'*': Deny}"), [Action::Deny, off, Action::Deny]);
    assert_eq!(of("baseline", "checks: {ingress/*: Warn, host/*: Warn}"), [warn, off, warn]);
    assert_eq!(of("baseline", "checks: {'*': Off, host/not-unique: Warn}"), [off, warn, off]);
}

#[test]
fn a_file_that_cannot_be_read_hides_no_fault_in_another() {
    let broken = ("b.yaml", "themes: [");
    let errors = |config: &str| {
        let errors = read(&[("a.yaml", config), broken]).expect_err("b.yaml is broken");
        let lines: Vec<String> = errors.lines().filter(|line| line.starts_with("a.yaml")).map(str::to_owned).collect();
        assert!(lines.len() < errors.lines().count(), "{errors}");
        lines
    };
    let faults = "profile: basline\nchecks: {ingress/snipet: Warn}\nexemptions: [{checks: [ingress/snippet], match: {users: [a]}, reason: ''}]";
    assert_eq!(
        errors(faults),
        [
            "a.yaml: line 3, column 10: unknown profile `basline`; did you mean `baseline`?",
            "a.yaml: line 4, column 10: unknown check `ingress/snipet`; did you mean `ingress/snippet`?",
            "a.yaml: line 5, column 71: the exemption requires a reason",
        ]
    );
    // The broken file may set what these lack.
    for lacking in [
        "checks: {ingress/class-not-allowed: Deny}",
        "checks: {ingress/snippet: {match: {users: [a]}}}",
        "defaults: {http-proxy/ingress-class-default: {enabled: true}}",
        "overrides: [{match: {users: [a]}, checks: {ingress/class-not-allowed: Deny}}]",
    ] {
        assert_eq!(errors(lacking), Vec::<String>::new(), "{lacking}");
        assert!(read(&[("a.yaml", lacking)]).is_err(), "{lacking}: alone, something is missing");
    }
}

#[test]
fn hostile_texts_are_errors() {
    for config in [
        "[".repeat(100_000),
        "{a: ".repeat(1_000),
        format!("checks: {}", "[".repeat(200) + &"]".repeat(200)),
        format!(
            "a: &a [x]\nb: &b [{0}]\nc: &c [{1}]\nd: &d [{2}]\ne: [{3}]",
            "*a, ".repeat(50),
            "*b, ".repeat(50),
            "*c, ".repeat(50),
            "*d, ".repeat(50)
        ),
        "a: &a [*a]".to_owned(),
        "? [a]\n: b".to_owned(),
        "*nothing".to_owned(),
    ] {
        let file = ConfigFile { name: None, text: text(&config) };
        let errors = Plan::read(&[file], |_| {}).expect_err("it is not a configuration");
        assert!(!errors.0.is_empty() && errors.0.len() <= 110, "{errors}");
    }
}

#[test]
fn an_alias_stands_for_its_anchor() {
    let config = "exemptions:\n- checks: &some [host/*]\n  match: {users: [a]}\n  reason: any\n- checks: *some\n  match: {users: [b]}\n  reason: any";
    let plan = read(&[("a.yaml", config)]).expect("a configuration");
    assert_eq!(plan.config().exemptions[1].checks[0].as_str(), "host/*");
}
