//! `portcullis config check`, `explain`, `diff` and `test`, on the real program.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;
use portcullis_core::checks::Plan;
use portcullis_core::config::ConfigFile;
use portcullis_core::suite::TestSuite;
use tempfile::TempDir;

use crate::harness::{ControlPlane, Flavour, on_cluster};
use crate::reviews::ingress;

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn()| {
        Trial::test(format!("config_commands::{name}"), move || {
            test();
            Ok(())
        })
    };
    vec![
        trial("check_warns_of_what_has_no_effect", check_warns_of_what_has_no_effect),
        trial("check_warns_of_what_another_file_undoes", check_warns_of_what_another_file_undoes),
        trial("check_finds_selectors_without_a_namespace", check_finds_selectors_without_a_namespace),
        trial("check_sums_up_what_some_writes_get", check_sums_up_what_some_writes_get),
        trial("check_takes_a_path_like_other_commands", check_takes_a_path_like_other_commands),
        trial("a_snapshot_takes_the_place_of_a_cluster", a_snapshot_takes_the_place_of_a_cluster),
        trial("explain_names_the_deciding_line", explain_names_the_deciding_line),
        trial("explain_tells_kinds_apart", explain_tells_kinds_apart),
        trial("explain_reports_a_label_without_effect", explain_reports_a_label_without_effect),
        trial("check_refuses_files_that_it_would_not_read", check_refuses_files_that_it_would_not_read),
        trial("diff_lists_what_changes", diff_lists_what_changes),
        trial("diff_of_many_objects_is_complete", diff_of_many_objects_is_complete),
        on_cluster("config_commands::diff_reads_a_live_cluster", diff_reads_a_live_cluster),
        trial("the_examples_pass", the_examples_pass),
        trial("the_page_is_true", the_page_is_true),
        trial("a_failing_case_says_why", a_failing_case_says_why),
        trial("a_faulty_test_file_is_reported_with_positions", a_faulty_test_file_is_reported),
    ]
}

const HEAD: &str = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n";

/// The exit code, standard output and standard error of `portcullis config`.
fn run(arguments: &[&str], folder: &Path) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    let output = command.arg("config").args(arguments).current_dir(folder).output().expect("cargo built it");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program speaks UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A folder with these files; a configuration is written without its first two lines.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("our folder is writable");
        let head = if name.starts_with("config") { HEAD } else { "" };
        fs::write(path, format!("{head}{text}")).expect("our folder is writable");
    }
    folder
}

fn check_warns_of_what_has_no_effect() {
    let config = "\
exemptions:
- {checks: [ingress/snippet], match: {users: [a]}, reason: once, expires: 2020-01-01}
- {checks: [ingress/tls-missing], match: {users: [a]}, reason: off}
- {checks: [ingress/snippet], match: {users: [a]}, reason: needed}
handovers:
- {host: a.example.com, from: web, to: team}
- {host: b.example.com, from: web, to: team, expires: 2999-01-01}
checks:
  ingress/class-not-allowed:
    action: Deny
    classes:
    - {class: internal, namespaces: {names: [a]}}
    - {class: internal, namespaces: {names: [b]}}
status: {supportedFeatures: [HTTPRouteQueryParamMatching]}
overrides: [{match: {namespaces: {names: [a], notNames: ['a*']}}, checks: {ingress/snippet: Deny}}]
";
    let folder = folder(&[("config.yaml", config)]);
    let (code, printed, errors) = run(&["check", "config.yaml"], folder.path());
    assert_eq!(code, Some(0), "{errors}");
    assert!(printed.starts_with("config.yaml: profile baseline; "), "{printed}");
    let lines: Vec<&str> = errors.lines().collect();
    assert_eq!(
        lines,
        [
            "portcullis: warning: config.yaml: line 4, column 60: the exemption from ingress/snippet expired 2020-01-01T00:00Z: remove it or set a later date",
            "portcullis: warning: config.yaml: line 5, column 64: the exemption from ingress/tls-missing has no effect: ingress/tls-missing is off for every write",
            "portcullis: warning: config.yaml: line 8, column 10: the handover of a.example.com from web to team never ends: set `expires`",
            "portcullis: warning: config.yaml: line 11, column 3: ingress/class-not-allowed has two entries for class `internal`, whose namespaces add up: write one",
            "portcullis: warning: config.yaml: line 16, column 30: supportedFeatures are only listed under `dataPlane: attested`",
            "portcullis: warning: config.yaml: line 17, column 21: overrides[0] selects no namespace: notNames leaves out all names",
        ]
    );
    let (code, _, errors) = run(&["check", "nowhere.yaml"], folder.path());
    assert_eq!(
        (code, errors.as_str()),
        (Some(2), "portcullis: nowhere.yaml: No such file or directory (os error 2)\n")
    );
}

fn check_warns_of_what_another_file_undoes() {
    let platform = "\
themes: {policy: Deny}
checks: {host/path-conflict: Warn}
overrides:
- match: {namespaces: {names: [bank, shop]}}
  checks: {ingress/snippet: Deny, ingress/tls-missing: Deny}
- match: {groups: [ops]}
  checks: {ingress/snippet: Warn}
- match: {namespaces: {labels: {tier: gold}}}
  themes: {policy: Deny}
- match: {namespaces: {names: [farm]}}
  maxAction: Warn
";
    let team = "\
checks: {ingress/snippet: Warn, ingress/tls-missing: Deny}
overrides:
- match: {namespaces: {names: [shop]}}
  checks: {ingress/snippet: Off, ingress/tls-missing: Deny}
- match: {namespaces: {names: [lab]}}
  checks: {ingress/snippet: Off}
- match: {namespaces: {names: [shop]}, groups: [ops]}
  checks: {ingress/snippet: Off}
- match: {namespaces: {labels: {tier: gold}}}
  themes: {policy: Warn}
- match: {namespaces: {names: [farm]}}
  maxAction: Deny
";
    let check = |files: &[(&str, &str)]| {
        let folder = folder(files);
        let (code, _, errors) = run(&["check", "config"], folder.path());
        assert_eq!(code, Some(0), "{errors}");
        errors.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let lines = check(&[("config/10-platform.yaml", platform), ("config/20-team.yaml", team)]);
    let [of_all, of_names, of_exception, of_labels, of_maximum] = &lines[..] else { panic!("{lines:#?}") };
    let at =
        |line: u32, column: u32| format!("portcullis: warning: config/20-team.yaml: line {line}, column {column}: ");
    let there = |line: u32| format!(" in config/10-platform.yaml at line {line}: ");
    let snippet = |here: &str| format!("ingress/snippet is {here} here, and Deny there");
    assert_eq!(*of_all, at(3, 10) + "checks.ingress/snippet undoes themes.policy" + &there(3) + &snippet("Warn"));
    let parts = "overrides[4].checks.ingress/snippet undoes overrides[0].checks.ingress/snippet";
    assert_eq!(*of_names, at(6, 12) + parts + &there(7) + &snippet("Off"));
    let parts =
        at(10, 12) + "overrides[6].checks.ingress/snippet undoes overrides[1].checks.ingress/snippet" + &there(9);
    assert_eq!(*of_exception, parts + "ingress/snippet is Off here, and Warn there");
    let parts = at(12, 12) + "overrides[7].themes.policy undoes overrides[2].themes.policy" + &there(11);
    assert!(of_labels.starts_with(&parts) && of_labels.contains(" checks differ, such as "), "{of_labels}");
    assert!(of_labels.ends_with(", which is Warn here, and Deny there"), "{of_labels}");
    let parts = at(14, 14) + "overrides[8].maxAction undoes overrides[3].maxAction" + &there(13);
    assert_eq!(*of_maximum, parts + "maxAction is Deny here, and Warn there");
    let wide = "\
checks: {ingress/snippet: Deny}
overrides:
- match: {namespaces: {names: [bank]}}
  profile: restricted
- match: {namespaces: {names: [shop]}}
  checks: {ingress/snippet: Deny}
";
    let all = "\
maxAction: Warn
overrides:
- match: {namespaces: {names: ['*']}}
  profile: audit
- match: {namespaces: {notNames: [lab]}}
  checks: {ingress/snippet: Off}
";
    let lines = check(&[("config/10-platform.yaml", wide), ("config/20-team.yaml", all)]);
    let undoes = |what: &str, line: u32| {
        let what = format!("{what} in config/10-platform.yaml at line {line}: ");
        assert!(lines.iter().any(|found| found.contains(&what)), "{what}: {lines:#?}");
    };
    undoes("maxAction undoes checks.ingress/snippet", 3);
    undoes("maxAction undoes overrides[1].checks.ingress/snippet", 8);
    undoes("overrides[2].profile audit undoes overrides[0].profile restricted", 6);
    undoes("overrides[3].checks.ingress/snippet undoes overrides[1].checks.ingress/snippet", 8);
    // The last one counts, so what the first file sets again is not undone; and a stricter exception is meant.
    let restored = wide.to_owned() + "- match: {namespaces: {names: [shop]}}\n  checks: {ingress/snippet: Deny}\n";
    let between = "overrides:\n- match: {namespaces: {names: ['*']}}\n  checks: {ingress/snippet: Warn}\n";
    let files = [("config/10-team.yaml", between), ("config/20-platform.yaml", &*restored)];
    let lines = check(&files);
    let parts =
        "config/10-team.yaml: line 5, column 12: overrides[0].checks.ingress/snippet undoes checks.ingress/snippet";
    assert!(matches!(&lines[..], [line] if line.contains(parts)), "only of what is for all writes: {lines:#?}");
    // Levels of a roll-out: the maximum is not for all writes.
    let levels = "maxAction: Warn\noverrides:\n- match: {namespaces: {labels: {phase: enforced}}}\n  maxAction: Deny\n";
    let platform_only = "profile: restricted\nchecks: {ingress/snippet: Deny}\n";
    let files = [("config/10-platform.yaml", platform_only), ("config/20-levels.yaml", levels)];
    assert_eq!(check(&files), Vec::<String>::new(), "an override lifts the maximum");
    let guard = [("config/10-platform.yaml", "maxAction: Deny\n"), ("config/20-team.yaml", "profile: baseline\n")];
    assert_eq!(check(&guard), Vec::<String>::new(), "no other file can set it");
    let one = platform.replace("overrides:\n", "") + team.split_once("overrides:\n").expect("it has some").1;
    let one = one.replacen("- match", "overrides:\n- match", 1);
    assert_eq!(check(&[("config/all.yaml", &one)]), Vec::<String>::new(), "in one file it is deliberate");
}

fn check_finds_selectors_without_a_namespace() {
    let config = "\
overrides:
- {match: {namespaces: {names: ['team-*']}}, profile: audit}
- {match: {namespaces: {names: [web], notNames: [we*]}}, profile: audit}
- {match: {namespaces: {names: [web]}}, profile: audit}
- {match: {namespaces: {labels: {tier: gold}}}, profile: audit}
- {match: {namespaces: {labels: {tier: silver}}}, profile: audit}
hostOwnership: {hosts: [{host: a.com, namespaces: {names: [wbe]}}]}
handovers: [{host: a.com, from: web, to: gone, expires: 2999-01-01}]
";
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: web, labels: {tier: gold}}\n";
    let folder = folder(&[("config.yaml", config), ("objects/a.yaml", namespace)]);
    let (code, _, errors) = run(&["check", "config.yaml", "--objects", "objects"], folder.path());
    assert_eq!(code, Some(0), "{errors}");
    let places: Vec<&str> = errors.lines().filter_map(|line| line.split(": ").nth(3)).collect();
    assert_eq!(
        places.iter().map(|place| place.split(',').next().unwrap_or_default()).collect::<Vec<_>>(),
        ["line 5", "line 4", "line 5", "line 8", "line 9", "line 10"],
        "{errors}"
    );
    assert!(errors.contains("overrides[0] selects no namespace that exists (namespace team-*)"), "{errors}");
    assert!(errors.contains("the handover names namespace gone, which does not exist"), "{errors}");
}

fn explain_names_the_deciding_line() {
    let platform = "checks: {ingress/snippet: Warn}\nnamespaceProfileLabel: example.com/profile\n";
    let teams = "\
overrides:
- match: {namespaces: {names: [bank]}}
  themes: {policy: Deny}
- match: {groups: [ops]}
  checks: {ingress/*: Off}
exemptions:
- {checks: [ingress/tls-missing], match: {namespaces: {names: [bank]}}, reason: behind a proxy}
";
    let folder = folder(&[("config/a.yaml", platform), ("config/b.yaml", teams)]);
    let explain = |arguments: &[&str]| {
        let fixed = ["explain", "--config", "config", "--check", "ingress/snippet"];
        let (code, printed, errors) = run(&[&fixed, arguments].concat(), folder.path());
        assert_eq!(code, Some(0), "{errors}");
        (printed, errors)
    };
    let base =
        "  Warn    profile baseline (default)\n  Warn    checks.ingress/snippet (config/a.yaml: line 3, column 10)";
    assert_eq!(
        explain(&["--namespace", "web", "--labels", ""]),
        (format!("ingress/snippet: Warn\n{base}  <- decides\n"), String::new())
    );
    let of_override = "  Deny    overrides[0].themes.policy (config/b.yaml: line 5, column 12)";
    let (printed, errors) = explain(&["-n", "bank"]);
    assert_eq!(printed, format!("ingress/snippet: Deny\n{base}\n{of_override}  <- decides\n"));
    assert!(errors.contains("the labels of the namespace are not known"), "{errors}");
    let off = "  Off     overrides[1].checks.ingress/* (config/b.yaml: line 7, column 12)";
    let (printed, _) = explain(&["-n", "bank", "--as", "alice", "--as-group", "ops", "--labels", "a=b"]);
    assert_eq!(printed, format!("ingress/snippet: Off\n{base}\n{of_override}\n{off}  <- decides\n"));
    let (printed, _) = explain(&["-n", "web", "--labels", "a=b,example.com/profile=restricted"]);
    let label = "  Deny    label example.com/profile=restricted of the Namespace (config/a.yaml: line 4, column 24)";
    assert_eq!(printed, format!("ingress/snippet: Deny\n{base}\n{label}  <- decides\n"));
    let web = "apiVersion: v1\nkind: Namespace\nmetadata: {name: web, labels: {example.com/profile: restricted}}\n";
    fs::write(folder.path().join("web.yaml"), web).expect("our folder is writable");
    assert_eq!(explain(&["-n", "web", "--objects", "web.yaml"]), (printed, String::new()));
    let (code, _, errors) =
        run(&["explain", "--config", "config", "-n", "wep", "--objects", "web.yaml"], folder.path());
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.ends_with("--namespace: namespace `wep` not found; did you mean `web`?\n"), "{errors}");

    let all = ["explain", "--config", "config", "-n", "bank", "--labels", ""];
    let (code, printed, _) = run(&all, folder.path());
    assert_eq!(code, Some(0));
    let line = |id: &str| {
        let line = printed.lines().find(|line| line.split_whitespace().nth(1) == Some(id)).unwrap_or_default();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        line("ingress/tls-missing"),
        "Exempt ingress/tls-missing exemptions[0] (config/b.yaml: line 9, column 81): behind a proxy"
    );
    let (_, chain, _) = run(&[&all[..], &["--check", "ingress/tls-missing"]].concat(), folder.path());
    let decides: Vec<&str> = chain.lines().filter(|line| line.ends_with("  <- decides")).collect();
    assert!(matches!(decides[..], [line] if line.starts_with("  Exempt  exemptions[0]")), "{chain}");
    assert_eq!(line("host/path-conflict"), "Deny host/path-conflict profile baseline (default)");
    assert!(printed.ends_with(" checks are off\n"), "{printed}");
    let (code, _, errors) = run(&["explain", "--check", "ingress/snipet"], folder.path());
    assert_eq!(code, Some(2));
    assert!(errors.contains("check `ingress/snipet` not found; did you mean `ingress/snippet`?"), "{errors}");
}

const SNIPPET: &str = "
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {namespace: web, name: shop, annotations: {nginx.ingress.kubernetes.io/server-snippet: any}}
spec:
  ingressClassName: nginx
  rules: [{host: shop.example.com, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: cart, port: {number: 80}}}}]}}]
";

fn explain_tells_kinds_apart() {
    let exempt = "exemptions: [{checks: [host/not-owned], match: {kinds: [Gateway]}, reason: shared}]\n";
    let folder = folder(&[("config.yaml", exempt)]);
    let explain = |kind: &[&str]| {
        let fixed = ["explain", "--config", "config.yaml", "-n", "edge", "--labels", "", "--check", "host/not-owned"];
        run(&[&fixed, kind].concat(), folder.path())
    };
    assert!(explain(&[]).1.starts_with("host/not-owned: Deny\n"), "{:?}", explain(&[]));
    assert!(explain(&["--kind", "Gateway"]).1.starts_with("host/not-owned: Exempt\n"));
    let (code, _, errors) = explain(&["--kind", "Gatway"]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("use one of BackendTLSPolicy, GRPCRoute, Gateway, "), "{errors}");
}

fn explain_reports_a_label_without_effect() {
    let folder = folder(&[("config.yaml", "namespaceProfileLabel: policy\n")]);
    let explain = |label: &str| {
        let fixed = ["explain", "--config", "config.yaml", "-n", "web", "--check", "ingress/snippet", "--labels"];
        run(&[&fixed[..], &[label]].concat(), folder.path()).2
    };
    assert_eq!(explain("policy=restricted"), "");
    let note = "label policy=restriced of Namespace web has no effect: `restriced` is not a profile; use audit, baseline, restricted, kep-758";
    assert_eq!(explain("policy=restriced"), format!("portcullis: note: {note}\n"));
}

fn check_refuses_files_that_it_would_not_read() {
    let folder = folder(&[("config/a.yaml", ""), ("config/teams/shop.yaml", "profile: audit\n")]);
    let (code, _, errors) = run(&["check", "config"], folder.path());
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.contains("config/teams is a subfolder, whose files would not be read: move them up"), "{errors}");
}

fn check_sums_up_what_some_writes_get() {
    let enforced =
        "profile: audit@0.1\noverrides: [{match: {namespaces: {names: [web]}}, checks: {ingress/snippet: Deny}}]\n";
    let folder = folder(&[("config-a.yaml", enforced), ("config-b.yaml", "profile: restricted\nmaxAction: Warn\n")]);
    let printed = |name: &str| run(&["check", name], folder.path()).1;
    let expected = "config-a.yaml: profile audit@0.1; checks that deny: 0 (for some writes: 1), warn: ";
    assert!(printed("config-a.yaml").starts_with(expected), "{}", printed("config-a.yaml"));
    let expected = "config-b.yaml: profile restricted, maxAction Warn; checks that deny: 0, warn: ";
    assert!(printed("config-b.yaml").starts_with(expected), "{}", printed("config-b.yaml"));
    let changed = [("config-c.yaml", "checks: {host/path-conflict: Warn, ingress/snippet: Deny}\n")];
    let (_, printed, _) = run(&["check", "config-c.yaml"], self::folder(&changed).path());
    let lines: Vec<&str> = printed.lines().skip(1).collect();
    let expected =
        ["changed from the profile:", "  host/path-conflict  Deny -> Warn", "  ingress/snippet  Warn -> Deny"];
    assert_eq!(lines, expected);
}

fn check_takes_a_path_like_other_commands() {
    let folder = folder(&[("config-a.yaml", "profile: audit\n")]);
    let by_option = run(&["check", "--config", "config-a.yaml"], folder.path());
    assert_eq!(by_option.0, Some(0), "{}", by_option.2);
    assert_eq!(by_option, run(&["check", "config-a.yaml"], folder.path()));
    let both = run(&["check", "config-a.yaml", "--config", "config-a.yaml"], folder.path());
    assert!(both.0 == Some(2) && both.2.contains("cannot be used with"), "{}", both.2);
}

fn a_snapshot_takes_the_place_of_a_cluster() {
    let deny = "overrides: [{match: {namespaces: {labels: {tier: gold}}}, checks: {ingress/snippet: Deny}}]\n";
    let objects =
        format!("{SNIPPET}---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: web, labels: {{tier: gold}}}}\n");
    let folder = folder(&[("config-a.yaml", ""), ("config-b.yaml", deny), ("objects/a.yaml", &objects)]);
    let mut snapshot = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    let snapshot =
        snapshot.args(["snapshot", "--complete", "--objects", "objects"]).current_dir(folder.path()).output();
    fs::write(folder.path().join("world.json.gz"), snapshot.expect("cargo built it").stdout).expect("writable");
    let against = ["--against", "world.json.gz"];
    let (code, printed, errors) =
        run(&[&["diff", "config-a.yaml", "config-b.yaml"], &against[..]].concat(), folder.path());
    assert_eq!(code, Some(1), "{errors}");
    assert!(printed.contains("  Ingress web/shop: warned -> denied\n"), "{printed}");
    let explain = ["explain", "--config", "config-b.yaml", "-n", "web", "--check", "ingress/snippet"];
    let (code, printed, errors) = run(&[&explain[..], &against].concat(), folder.path());
    assert!(code == Some(0) && printed.starts_with("ingress/snippet: Deny\n"), "{printed}{errors}");
    assert_eq!(run(&[&explain[..], &["--labels", "a=b"], &against].concat(), folder.path()).0, Some(2));
    fs::write(folder.path().join("config-b.yaml"), format!("{HEAD}{}", deny.replace("gold", "silver")))
        .expect("writable");
    let (code, _, errors) = run(&[&["check", "config-b.yaml"], &against[..]].concat(), folder.path());
    assert!(code == Some(0) && errors.contains("portcullis: warning: config-b.yaml: line 3"), "{errors}");
}

fn diff_lists_what_changes() {
    let other = ingress("team", "copy", "other.example.com", "/");
    let old = "checks: {ingress/annotation-risky: Off}\n";
    let new =
        format!("{old}overrides: [{{match: {{namespaces: {{names: [web]}}}}, checks: {{ingress/snippet: Deny}}}}]\n");
    let folder = folder(&[
        ("config-a.yaml", old),
        ("config-b.yaml", &new),
        ("objects/a.yaml", SNIPPET),
        ("objects/b.yaml", &other),
    ]);
    let diff = |old: &str, new: &str| run(&["diff", old, new, "--objects", "objects"], folder.path());
    let (code, printed, errors) = diff("config-a.yaml", "config-b.yaml");
    assert_eq!(code, Some(1), "{errors}");
    let expected = "namespace web\n  Ingress web/shop: warned -> denied\n    ~ Warn -> Deny  metadata.annotations[nginx.ingress.kubernetes.io/server-snippet]: ";
    assert!(printed.starts_with(expected), "{printed}");
    assert!(
        printed.ends_with(
            "\n\n1 of 2 objects change; as new objects, 1 would be denied from now on, 0 would no longer be denied\n\
             objects that are already stored keep working: an update that adds no fault passes with a warning\n"
        ),
        "{printed}"
    );
    let (code, built_in, _) = run(&["diff", "config-b.yaml", "--objects", "objects"], folder.path());
    assert!(code == Some(1) && built_in.starts_with(expected), "against the built-in configuration: {built_in}");
    let (code, printed, _) = diff("config-b.yaml", "config-a.yaml");
    assert_eq!(code, Some(1));
    assert!(printed.contains("denied -> warned") && printed.contains("1 would no longer be denied"), "{printed}");
    let (code, printed, _) = diff("config-a.yaml", "config-a.yaml");
    assert_eq!(
        (code, printed.as_str()),
        (
            Some(0),
            "0 of 2 objects change; as new objects, 0 would be denied from now on, 0 would no longer be denied\n"
        )
    );
    fs::write(folder.path().join("objects/c.yaml"), "kind: Ingress\napiVersion: networking.k8s.io/v1\nmetadata: [")
        .expect("writable");
    let (code, _, errors) = diff("config-a.yaml", "config-a.yaml");
    assert_eq!(code, Some(3), "what was not read may change: {errors}");
}

/// How long this takes is measured by `cargo bench --bench offline`.
fn diff_of_many_objects_is_complete() {
    let mut objects = String::new();
    for number in 0..10_000 {
        let (namespace, host) = (format!("team-{}", number % 300), format!("h{number}.example.com"));
        let _ = writeln!(objects, "---\n{}", ingress(&namespace, &format!("i{number}"), &host, "/"));
    }
    let folder = folder(&[
        ("config-a.yaml", ""),
        ("config-b.yaml", "checks: {ingress/tls-missing: Warn}"),
        ("objects/a.yaml", &objects),
    ]);
    let (code, printed, errors) =
        run(&["diff", "config-a.yaml", "config-b.yaml", "--objects", "objects"], folder.path());
    assert_eq!(code, Some(1), "{errors}");
    assert!(
        printed.contains("\n10000 of 10000 objects change; as new objects, 0 would be denied"),
        "{}",
        &printed[printed.len() - 200..]
    );
}

fn diff_reads_a_live_cluster() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let web = control_plane.namespace("web");
    web.apply(&SNIPPET.replace("namespace: web, ", "")).accepted();
    let name = web.to_string();
    let new = format!("overrides: [{{match: {{namespaces: {{names: [{name}]}}}}, checks: {{ingress/snippet: Deny}}}}]");
    let folder = folder(&[("config-a.yaml", ""), ("config-b.yaml", &new)]);
    let kubeconfig = control_plane.kubeconfig();
    let kubeconfig = kubeconfig.to_str().expect("a plain name");
    let arguments = ["diff", "config-a.yaml", "config-b.yaml", "--kubeconfig", kubeconfig];
    let (code, printed, errors) = run(&arguments, folder.path());
    assert_eq!(code, Some(1), "{printed}{errors}");
    assert!(printed.contains(&format!("namespace {name}\n  Ingress {name}/shop: warned -> denied\n")), "{printed}");
    let data =
        format!("data:\n  config.yaml: |\n    {}    profile: restricted\n", HEAD.replace("\nkind", "\n    kind"));
    web.apply(&format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: portcullis}}\n{data}")).accepted();
    let stored = ["--config-map", &format!("{name}/portcullis"), "--kubeconfig", kubeconfig];
    let (code, printed, errors) = run(&[&["diff", "config-b.yaml"], &stored[..]].concat(), folder.path());
    assert_eq!(code, Some(1), "{printed}{errors}");
    assert!(printed.contains(&format!("Ingress {name}/shop: denied, as before\n")), "{printed}");
    let (code, printed, errors) = run(&[&["check"], &stored[..]].concat(), folder.path());
    assert_eq!(code, Some(0), "{printed}{errors}");
    assert!(printed.starts_with(&format!("ConfigMap {name}/portcullis: profile restricted; ")), "{printed}");
    assert_eq!(run(&[&["check", "config-b.yaml"], &stored[..]].concat(), folder.path()).0, Some(2), "one of the two");
    let explain = ["explain", "--check", "ingress/snippet", "--namespace", &name];
    let (code, printed, errors) = run(&[&explain[..], &stored[..]].concat(), folder.path());
    assert_eq!(code, Some(0), "{printed}{errors}");
    assert!(printed.contains("profile restricted"), "{printed}");
}

fn the_examples_pass() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let arguments = ["test", "examples/policy/tests", "--config", "examples/policy/config"];
    let (code, printed, errors) = run(&arguments, repository);
    assert_eq!((code, errors.as_str()), (Some(0), ""), "{printed}");
    assert!(printed.ends_with("\n7 passed, 0 failed\n"), "{printed}");
    let (code, printed, _) = run(&[&arguments[..3], &["examples/config.yaml"]].concat(), repository);
    assert_eq!(code, Some(1), "another configuration says something else");
    assert!(
        printed.contains("  FAIL  another namespace may not\n        expected to be denied, but admitted\n"),
        "{printed}"
    );
}

fn suite(cases: &str) -> String {
    format!("apiVersion: test.portcullis.dev/v1alpha1\nkind: PortcullisTest\ncases:\n{cases}")
}

fn a_failing_case_says_why() {
    let object = SNIPPET.trim().replace('\n', "\n    ");
    let case = |name: &str, expect: &str| format!("- name: {name}\n  object:\n    {object}\n  expect: {expect}\n");
    let cases = [
        case("right", "{allowed: true}"),
        case("denied", "{allowed: false}"),
        case(
            "missing",
            "{findings: [{check: ingress/snippet}, {check: host/not-owned, action: Deny, field: spec, message: any}]}",
        ),
        case("contained", "{contains: [{check: ingress/snippet, action: Warn}]}"),
        case("beside others", "{contains: []}"),
        case("not contained", "{contains: [{check: ingress/snippet}, {check: ingress/class-missing}]}"),
        case("unexpected", "{findings: []}"),
        case("other words", "{findings: [{check: ingress/snippet, message: other words}]}"),
    ];
    let folder = folder(&[("tests/deep/a.yaml", &suite(&cases.concat())), ("tests/object.yaml", SNIPPET)]);
    let (code, printed, errors) = run(&["test", "tests"], folder.path());
    assert_eq!(code, Some(1), "{errors}");
    let note = |words: &str| {
        format!(
            "portcullis: note: without --config, the cases test the profile {words}, not a configuration of yours\n"
        )
    };
    assert_eq!(errors, note("baseline"));
    assert_eq!(run(&["test", "tests", "--profile", "restricted@0.1"], folder.path()).2, note("restricted@0.1"));
    for words in [
        "tests/deep/a.yaml\n  ok    right\n  FAIL  denied\n        expected to be denied, but admitted\n",
        "  FAIL  missing\n        expected, but not found: Deny [host/not-owned] at spec with the words `any`\n",
        "  FAIL  unexpected\n        found, but not expected: Warn metadata.annotations[",
        "expected, but not found: [ingress/snippet] with the words `other words`\n        found, but not expected: ",
        "  ok    contained\n  ok    beside others\n  FAIL  not contained\n        expected, but not found: [ingress/class-missing]\n",
        "\n3 passed, 5 failed\n",
    ] {
        assert!(printed.contains(words), "{words}\n{printed}");
    }
}

fn a_faulty_test_file_is_reported() {
    let object = "object: {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a}}";
    for (cases, expected) in [
        (
            format!("- {{name: a, {object}, expect: {{alowed: true}}}}\n- {{name: b, expect: {{}}}}"),
            "portcullis: tests/a.yaml: line 4, column 102: unknown field `alowed`; did you mean `allowed`?\n\
             portcullis: tests/a.yaml: line 5, column 3: missing field `object`\n",
        ),
        (
            format!("- {{name: a, {object}, groups: [dev], expect: {{allowed: true}}}}"),
            "portcullis: tests/a.yaml: line 4, column 10: `groups` have no effect without `user`: set both\n",
        ),
        (
            format!(
                "- {{name: a, {object}, expect: {{}}}}\n- {{name: b, {object}, expect: {{findings: [{{check: ingress/snipet}}]}}}}"
            ),
            "portcullis: tests/a.yaml: line 4, column 10: the case expects nothing: set `allowed`, `findings` or `contains`\n\
             portcullis: tests/a.yaml: line 5, column 121: unknown check `ingress/snipet`; did you mean `ingress/snippet`?\n",
        ),
        (
            "- {name: a, object: {apiVersion: v1, kind: Pod, metadata: {name: a}}, expect: {allowed: true}}".to_owned(),
            "portcullis: tests/a.yaml: line 4, column 21: objects of this kind are not checked\n",
        ),
    ] {
        let folder = folder(&[("tests/a.yaml", &suite(&cases)), ("config.yaml", "")]);
        let (code, _, errors) = run(&["test", "tests", "--config", "config.yaml"], folder.path());
        assert_eq!((code, errors.as_str()), (Some(2), expected));
    }
    let cases = format!(
        "- {{name: a, object: {{apiVersion: v1, kind: Pod, metadata: {{name: a}}}}, expect: {{allowed: true}}}}\n- {{name: b, {object}, expect: {{allowed: false}}}}"
    );
    let folder_of_two = folder(&[("tests/a.yaml", &suite(&cases)), ("config.yaml", "")]);
    let (code, printed, errors) = run(&["test", "tests", "--config", "config.yaml"], folder_of_two.path());
    assert_eq!(errors, "portcullis: tests/a.yaml: line 4, column 21: objects of this kind are not checked\n");
    assert!(
        code == Some(2) && printed.contains("  b\n") && printed.ends_with(" failed\n"),
        "the other case is run: {printed}"
    );
    let runnable = suite(&format!("- {{name: b, {object}, expect: {{allowed: false}}}}"));
    let unreadable = suite(&format!("- {{name: a, {object}, expect: {{alowed: true}}}}"));
    let two_files = folder(&[("tests/a.yaml", &unreadable), ("tests/b.yaml", &runnable), ("config.yaml", "")]);
    let (code, printed, errors) = run(&["test", "tests", "--config", "config.yaml"], two_files.path());
    assert!(code == Some(2) && errors.contains("unknown field `alowed`"), "{errors}");
    assert!(printed.starts_with("tests/b.yaml\n"), "the other file is run: {printed}");
    let folder = folder(&[("tests/a.yaml", SNIPPET)]);
    let (code, _, errors) = run(&["test", "tests"], folder.path());
    assert_eq!((code, errors.as_str()), (Some(2), "portcullis: no file here has test cases (kind: PortcullisTest)\n"));
}

/// Every configuration on the pages is valid, every file of test cases can be read, and the program prints what the pages show.
fn the_page_is_true() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = ["docs/configuration.md", "docs/host-ownership.md"]
        .map(|page| fs::read_to_string(repository.join(page)).expect("the page is there"))
        .concat();
    let (mut configurations, mut suites, mut commands) = (0, 0, 0);
    for block in page.split("```").skip(1).step_by(2) {
        let (words, text) = block.split_once('\n').expect("a block begins with its language");
        // A block in a list is indented.
        let indent = text.len() - text.trim_start_matches(' ').len();
        let text: String = text.lines().map(|line| format!("{}\n", line.get(indent..).unwrap_or_default())).collect();
        match words.trim() {
            "yaml" if text.contains("apiVersion: portcullis.dev/") => {}
            "yaml" if text.contains("kind: PortcullisTest") => {
                let suite = TestSuite::parse("docs/configuration.md", &text)
                    .unwrap_or_else(|errors| panic!("{errors}\n{text}"));
                suites += suite.cases.len();
            }
            "yaml" => {
                let head = if text.starts_with("apiVersion: ") { "" } else { HEAD };
                let file = ConfigFile { name: None, text: format!("{head}{text}") };
                Plan::read(&[file], |_| {}).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
                configurations += 1;
            }
            "console" => {
                let (command, expected) = text.split_once('\n').expect("a command and its output");
                let arguments = command.strip_prefix("$ portcullis config ").expect("a command of this page");
                let (_, printed, errors) = run(&arguments.split(' ').collect::<Vec<_>>(), repository);
                assert_eq!(printed, expected, "{command}\n{errors}");
                commands += 1;
            }
            _ => {}
        }
    }
    assert!(configurations >= 6 && suites == 1 && commands == 2, "{configurations} {suites} {commands}");
}
