//! `portcullis checks`: pages with their heads, lists with filters, and the errors for unknown ids.

use std::process::Command;

use libtest_mimic::Trial;
use portcullis_core::checks::registry;
use portcullis_core::config::{Charset, Theme};
use portcullis_core::defaults;
use portcullis_core::finding::Action;
use portcullis_testing::page::blocks;
use portcullis_testing::repository::read;

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn()| {
        Trial::test(format!("catalog::{name}"), move || {
            test();
            Ok(())
        })
    };
    vec![
        trial("shown_check_begins_with_its_properties", shown_check_begins_with_its_properties),
        trial("page_head_shows_operations_and_actions", page_head_shows_operations_and_actions),
        trial("shown_check_lists_its_options", shown_check_lists_its_options),
        trial("page_head_names_the_actual_default", page_head_names_the_actual_default),
        trial("page_of_a_default_shows_its_setting", page_of_a_default_shows_its_setting),
        trial("a_family_is_listed", a_family_is_listed),
        trial("list_of_checks_can_be_filtered", list_of_checks_can_be_filtered),
        trial("list_of_checks_can_be_searched", list_of_checks_can_be_searched),
        trial("unknown_id_gets_suggestions", unknown_id_gets_suggestions),
    ]
}

fn shown_check_begins_with_its_properties() {
    let page = include_str!("../../crates/portcullis-core/src/checks/host/path_conflict.md");
    let head = "    theme   conflict
    action  audit Warn, baseline Deny, restricted Deny, kep-758 Deny; some findings only warn
    since   0.1
    runs    live: webhook, on create and update; offline: `lint` and `audit`
    policy  not exported: it looks up objects (Ingress, IngressClass), which a policy cannot
";
    let way_out = "
    turn off  checks: {host/path-conflict: Off}
    exempt    exemptions: [{checks: [host/path-conflict], match: {namespaces: {names: [NAMESPACE]}}, reason: TEXT}]
";
    let (title, body) = page.split_once("\n## ").expect("a page has sections");
    assert_eq!(printed(&["show", "host/path-conflict", "--full"]), format!("{title}\n{head}\n## {body}{way_out}"));
    let short = printed(&["show", "host/path-conflict"]);
    assert!(short.starts_with(&format!("{title}\n{head}\n## Why\n")), "{short}");
    let (_, advice) = short.split_once("\n## What to do\n").expect("it says what to do");
    assert!(advice.contains(way_out), "the way out comes after the advice: {short}");
    assert_eq!((short.matches("```findings").count(), short.matches("## Not found").count()), (1, 1), "{short}");
    assert!(short.ends_with("portcullis checks show host/path-conflict --full\n"), "{short}");
    let shown = blocks(&read("docs/denied.md"))
        .into_iter()
        .find_map(|block| block.text.strip_prefix("$ portcullis checks show host/path-conflict\n").map(str::to_owned));
    for part in shown.expect("docs/denied.md shows the page").split("...\n") {
        assert!(short.contains(part), "docs/denied.md shows what the program does not print:\n{part}");
    }
    let page = include_str!("../../crates/portcullis-core/src/defaults/ingress_default_class.md");
    let (_, body) = page.split_once("\n## ").expect("a page has sections");
    assert!(printed(&["show", "ingress/default-class", "--full"]).ends_with(body));
}

fn page_head_shows_operations_and_actions() {
    for (id, line) in [
        (
            "rule/session-malformed",
            "schema  rejected by the API server itself with CRDs of Gateway API 1.4 or later (experimental channel), then not checked again",
        ),
        ("ingress/status-ip-malformed", "runs    offline: `lint` and `audit`"),
        ("gateway/class-changed", "runs    live: webhook, on update"),
        ("gateway-class/deleted-in-use", "runs    live: webhook, on delete"),
        ("host/shared-across-namespaces", "action  audit Audit, baseline Off, restricted Warn, kep-758 Off"),
    ] {
        has_line(id, line);
    }
}

fn shown_check_lists_its_options() {
    has_line("ingress/path-unsafe-character", "options  charset: rfc3986 or nginx-safe (default: rfc3986)");
    has_line("ingress/path-unsafe-character", "The characters that paths may contain.");
    has_line("ingress-route/delegation-too-deep", "options  maxDepth: number (default: 16)");
    has_line("ingress/path-forbidden-text", "options  substrings: list of text (required)");
    has_line(
        "ingress/port-not-allowed",
        "deny: list of number or text like ^[0-9]+(-[0-9]+)?$ (allow or deny is required)",
    );
}

/// The default of most options is the constant that the check uses. This one is written in two places.
fn page_head_names_the_actual_default() {
    assert_eq!(Charset::default(), Charset::Rfc3986);
}

fn page_of_a_default_shows_its_setting() {
    has_line("ingress/default-class", "turn off  defaults: {ingress/default-class: {enabled: false}}");
    has_line("ingress/default-path", "turn on  defaults: {ingress/default-path: {enabled: true}}");
    has_line(
        "http-proxy/ingress-class-default",
        "turn on  defaults: {http-proxy/ingress-class-default: {class: CLASS}}",
    );
}

fn a_family_is_listed() {
    let listed = printed(&["show", "gateway"]);
    assert_eq!(listed, printed(&["list", "--family", "gateway"]));
    assert_eq!(listed, printed(&["show", "gateway/*"]));
    let checks = registry::all().map(|check| check.id);
    let expected = checks.chain(defaults::registry::ALL.iter().map(|defaulter| defaulter.id));
    let expected: Vec<&str> = expected.filter(|id| id.starts_with("gateway/")).collect();
    assert_eq!(ids(&listed), expected);
}

fn list_of_checks_can_be_filtered() {
    let all = registry::all().map(|check| check.id);
    let expected: Vec<&str> = all.chain(defaults::registry::ALL.iter().map(|defaulter| defaulter.id)).collect();
    assert_eq!(ids(&printed(&["list"])), expected);

    let tenancy = registry::all().filter(|check| check.theme == Theme::Tenancy);
    let expected: Vec<&str> = tenancy.clone().map(|check| check.id).collect();
    assert_eq!(ids(&printed(&["list", "--theme", "tenancy"])), expected);

    let denied = tenancy.clone().filter(|check| check.actions.baseline == Action::Deny);
    let expected: Vec<&str> = denied.map(|check| check.id).collect();
    assert_eq!(ids(&printed(&["list", "--theme", "tenancy", "--action", "deny"])), expected);

    let silent = tenancy.filter(|check| check.actions.audit == Action::Audit);
    let expected: Vec<&str> = silent.map(|check| check.id).collect();
    assert!(!expected.is_empty(), "no check of this theme has this action: choose others");
    let filters = ["list", "--theme", "tenancy", "--action", "Audit", "--profile", "audit"];
    assert_eq!(ids(&printed(&filters)), expected);

    assert_eq!(refused(&["list", "--family", "hots"]), "portcullis: family `hots` not found; did you mean `host`?\n");
    assert_eq!(refused(&["list", "no such text"]), "portcullis: no check matches all filters\n");
    assert!(refused(&["list", "--profile", "audit"]).contains("--action"));
}

fn list_of_checks_can_be_searched() {
    // An id, a message, and words of a page that a line break separates.
    assert_eq!(ids(&printed(&["list", "shared-across"])).first(), Some(&"host/shared-across-namespaces"));
    assert!(ids(&printed(&["list", "IS ALREADY SERVED BY"])).contains(&"host/path-conflict"));
    assert!(ids(&printed(&["list", "by mistake or on purpose"])).contains(&"host/path-conflict"));
    assert_eq!(
        refused(&["list", "kind: IngressClass"]),
        "portcullis: no check matches all filters\n",
        "objects are not searched"
    );
}

fn unknown_id_gets_suggestions() {
    for (id, hint) in [
        ("host/path-conflct", "did you mean `host/path-conflict`?"),
        ("ingress/path-conflict", "did you mean `host/path-conflict`?"),
        ("ingress/path-conflct", "did you mean `host/path-conflict`?"),
        ("path-conflict", "did you mean `host/path-conflict`?"),
        ("class-missing", "did you mean `gateway/class-missing` or `ingress/class-missing`?"),
        ("ingres/class-missing", "did you mean `ingress/class-missing`?"),
        ("ingres", "did you mean the family `ingress`?"),
        ("ingress/zzzzq", "see `portcullis checks list --family ingress`"),
    ] {
        assert_eq!(refused(&["show", id]), format!("portcullis: check `{id}` not found; {hint}\n"));
    }
    let nothing = refused(&["show", "zzz"]);
    assert!(
        nothing.contains("search with `portcullis checks list TEXT`; families are backend-tls-policy, "),
        "{nothing}"
    );
}

/// The page of `id` contains this line.
fn has_line(id: &str, line: &str) {
    let page = printed(&["show", id]);
    assert!(page.lines().any(|printed| printed.trim() == line), "`{line}` is not in\n{page}");
}

/// The first column of the rows of checks and defaults.
fn ids(list: &str) -> Vec<&str> {
    list.lines().filter_map(|line| line.split(' ').next()).filter(|id| id.contains('/')).collect()
}

/// The output of a command that succeeds.
fn printed(arguments: &[&str]) -> String {
    let output = checks(arguments);
    assert_eq!((output.0, &*output.2), (Some(0), ""), "{arguments:?}");
    output.1
}

/// The error message of a command that fails.
fn refused(arguments: &[&str]) -> String {
    let output = checks(arguments);
    assert_eq!((output.0, &*output.1), (Some(2), ""), "{arguments:?}");
    output.2
}

/// The exit code, stdout and stderr of `portcullis checks`.
fn checks(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    let output = command.arg("checks").args(arguments).output().expect("cargo built it");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}
