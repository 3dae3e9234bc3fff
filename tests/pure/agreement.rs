//! Duplicate information is consistent: code and manifests, checks and their pages. Each failure says what to do;
//! CONTRIBUTING.md describes all steps.

mod alerts;
mod chart_schema;
mod circles;
mod clocks;
mod command_lines;
mod design_documents;
mod go_modules;
mod layers;
mod lengths;
mod limits;
mod links;
mod messages;
mod metrics;
mod nginx;
mod reference;
mod release;
mod support;
mod webhooks;

use std::collections::BTreeSet;
use std::fs;

use portcullis_core::checks::{Check, Plan, registry};
use portcullis_core::config::Config;
use portcullis_core::kinds::Kind;
use portcullis_core::report::catalog::CatalogEntry;
use portcullis_testing::golden;
use portcullis_testing::repository::{files, read, root};
use serde_json::{Value, json};

#[test]
fn the_schema_of_reports_is_current() {
    const FILE: &str = "docs/report.schema.json";
    let schema = format!("{:#}\n", portcullis_core::report::json::schema());
    golden::must_be_current(FILE, &schema);
}

#[test]
fn the_schema_of_answers_is_current() {
    const FILE: &str = "docs/explain.schema.json";
    let schema = format!("{:#}\n", portcullis_core::report::answer_document::schema());
    golden::must_be_current(FILE, &schema);
}

#[test]
fn the_schema_of_comparisons_is_current() {
    const FILE: &str = "docs/compare.schema.json";
    let schema = format!("{:#}\n", portcullis_core::report::compare::document::schema());
    golden::must_be_current(FILE, &schema);
}

#[test]
fn unreadable_objects_are_reported_by_one_check() {
    for kind in Kind::ALL {
        let judges = |check: &&Check| check.run.is_of_unreadable(kind);
        assert_eq!(registry::all().filter(judges).count(), 1, "{kind}");
    }
}

#[test]
fn ids_are_ordered_and_never_used_again() {
    let ids: Vec<&str> = registry::all().map(|check| check.id).collect();
    for pair in ids.windows(2) {
        assert!(
            pair[0].split_once('/') < pair[1].split_once('/'),
            "`{}` is before `{}`: order the list of step 1 of adding a check in CONTRIBUTING.md",
            pair[0],
            pair[1]
        );
    }
    for id in ids {
        assert!(is_well_formed(id), "`{id}` is not family/fault in words of a-z and 0-9: choose another id");
        assert!(!registry::RETIRED.contains(&id), "`{id}` is retired and meant something else: choose another id");
    }
}

/// Whether the id has the form `family/fault`, each part consisting of words joined by `-`.
fn is_well_formed(id: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let parts: Vec<&str> = id.split('/').collect();
    parts.len() == 2 && parts.iter().all(|part| part.split('-').all(is_word))
}

#[test]
fn each_check_has_its_page_beside_it() {
    for check in registry::all() {
        let page = format!("crates/portcullis-core/src/{}", CatalogEntry::Check(check).file());
        let text = fs::read_to_string(root().join(&page)).unwrap_or_default();
        assert!(
            text == check.page,
            "the page of `{}` is not {page}: step 2 of adding a check in CONTRIBUTING.md",
            check.id
        );
    }
}

#[test]
fn each_defaulter_has_its_page_beside_it() {
    for defaulter in portcullis_core::defaults::registry::ALL {
        let page = format!("crates/portcullis-core/src/{}", CatalogEntry::Defaulter(defaulter).file());
        let text = fs::read_to_string(root().join(&page)).unwrap_or_default();
        assert!(text == defaulter.page, "the page of `{}` is not {page}: name the file after the id", defaulter.id);
    }
}

#[test]
fn cluster_role_grants_reads_of_all_kinds() {
    let roles: Vec<Value> = files("manifests").iter().flat_map(|file| documents(file)).filter(is_a_role).collect();
    let (own, cluster): (Vec<&Value>, Vec<&Value>) = roles.iter().partition(|role| role["kind"] == "Role");
    let rules = cluster.iter().flat_map(|role| list(&role["rules"]));
    let (named, rules): (Vec<&Value>, Vec<&Value>) = rules.partition(|rule| !rule["resourceNames"].is_null());
    let is_of_webhooks = |rule: &&Value| rule["apiGroups"] == json!(["admissionregistration.k8s.io"]);
    let (of_webhooks, of_crds): (Vec<&Value>, Vec<&Value>) = named.into_iter().partition(is_of_webhooks);
    let is_write = |rule: &&Value| !list(&rule["verbs"]).any(|verb| verb == "list");
    let (writes, rules): (Vec<&Value>, Vec<&Value>) = rules.into_iter().partition(is_write);
    let expected = [
        json!({"apiGroups": ["contour.heptio.com"], "resources": ["ingressroutes/status"], "verbs": ["patch"]}),
        json!({"apiGroups": ["events.k8s.io"], "resources": ["events"], "verbs": ["create", "patch"]}),
    ];
    assert_eq!(writes, expected.each_ref(), "manifests/rbac.yaml grants other writes than those of the controller");
    let known: BTreeSet<_> = Kind::ALL.into_iter().flat_map(served).map(|[group, _, plural]| [group, plural]).collect();
    let granted = rules.iter().flat_map(|rule| resources(rule)).map(|[group, _, plural]| [group, plural]).collect();
    assert_eq!(known, granted, "manifests/rbac.yaml and `Kind::ALL` differ: change the ClusterRole");
    for rule in &rules {
        assert_eq!(
            rule["verbs"],
            json!(["get", "list", "watch"]),
            "manifests/rbac.yaml grants more, or less, than reading"
        );
    }
    for rule in rules.iter().chain(&of_crds) {
        assert!(rule.get("nonResourceURLs").is_none(), "manifests/rbac.yaml grants URLs: nothing of ours asks for one");
    }
    let of_status = [Kind::IngressRoute, Kind::HostClaim, Kind::HostRequest];
    let has_schema = |kind: &Kind| kind.is_gateway_api() || of_status.contains(kind);
    let kinds = Kind::ALL.into_iter().filter(has_schema).map(Kind::api);
    let names: Vec<String> = kinds.map(|api| format!("{}.{}", api.plural, api.group)).collect();
    let expected = json!({
        "apiGroups": ["apiextensions.k8s.io"], "resources": ["customresourcedefinitions"], "resourceNames": names,
        "verbs": ["get"],
    });
    assert_eq!(
        of_crds,
        [&expected],
        "manifests/rbac.yaml and the kinds that come as CRDs differ: change the ClusterRole"
    );
    let expected = json!({
        "apiGroups": ["admissionregistration.k8s.io"],
        "resources": ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"],
        "resourceNames": ["portcullis"], "verbs": ["get", "list", "watch", "patch"],
    });
    assert_eq!(of_webhooks, [&expected], "manifests/rbac.yaml grants other rights than those to keep the caBundle");
    for rule in own.iter().flat_map(|role| list(&role["rules"])) {
        let names = rule["resourceNames"].as_array().map_or(0, Vec::len);
        assert!(names > 0, "a rule of the Role in manifests/rbac.yaml is for objects of any name: {rule}");
        assert!(!rule.to_string().contains('*'), "a rule of the Role in manifests/rbac.yaml is for anything: {rule}");
    }
}

#[test]
fn roles_for_statuses_only_allow_get() {
    for (component, resource) in [("gateway-status-secrets", "secrets"), ("gateway-status-config-maps", "configmaps")] {
        let all = documents(&format!("manifests/components/{component}/rbac.yaml"));
        let roles: Vec<&Value> = all.iter().filter(|document| is_a_role(document)).collect();
        let [role] = roles[..] else { panic!("{component} has one role") };
        let expected = json!([{"apiGroups": [""], "resources": [resource], "verbs": ["get"]}]);
        assert_eq!(role["rules"], expected, "{component} grants other rights than to read {resource} by name");
    }
}

fn is_a_role(document: &Value) -> bool {
    matches!(document["kind"].as_str(), Some("Role" | "ClusterRole"))
}

#[test]
fn shipped_configurations_are_valid() {
    for file in ["examples/config.yaml", "manifests/config.yaml"] {
        must_be_right(file, &read(file));
    }
    must_be_right("the configuration in docs/configuration.md", shown(&read("docs/configuration.md")));
    must_be_right(
        "manifests/config.yaml, with its settings put in force",
        &uncommented(&read("manifests/config.yaml")),
    );
}

fn must_be_right(what: &str, text: &str) {
    let config = Config::parse(text).unwrap_or_else(|error| panic!("{what}: {error}"));
    Plan::new(config).unwrap_or_else(|errors| panic!("{what}: {errors:#?}"));
}

/// The configuration in the text of docs/configuration.md.
fn shown(page: &str) -> &str {
    let block = page.split_once("```yaml\n").and_then(|(_, rest)| rest.split_once("```"));
    block.expect("docs/configuration.md shows a configuration").0
}

/// The text with all commented-out settings enabled. Lines of prose stay comments.
fn uncommented(text: &str) -> String {
    let is_setting = |line: &&str| line.starts_with(' ') || line.starts_with("- ") || is_field(line);
    text.lines().map(|line| line.strip_prefix("# ").filter(is_setting).unwrap_or(line).to_owned() + "\n").collect()
}

fn is_field(line: &str) -> bool {
    line.split_once(':').is_some_and(|(word, _)| word.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// The documents of a YAML file of the repository.
fn documents(file: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(&read(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Group, version and plural of a kind, for each of its versions.
fn served(kind: Kind) -> impl Iterator<Item = [String; 3]> {
    let api = kind.api();
    api.versions.iter().map(move |version| [api.group, version, api.plural].map(str::to_owned))
}

/// Group, version and plural of all resources in a rule. The version is empty for RBAC rules, which have no versions.
fn resources(rule: &Value) -> Vec<[String; 3]> {
    let names = |field: &str| -> Vec<String> {
        list(&rule[field]).map(|name| name.as_str().expect("a name is text").to_owned()).collect()
    };
    let versions = if rule.get("apiVersions").is_some() { names("apiVersions") } else { vec![String::new()] };
    let mut all = Vec::new();
    for group in names("apiGroups") {
        for version in &versions {
            all.extend(names("resources").into_iter().map(|plural| [group.clone(), version.clone(), plural]));
        }
    }
    all
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
