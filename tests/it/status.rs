//! `portcullis status` over manifests: what Contour did and what is said here, and the same sums as metrics while serving.

use std::collections::BTreeMap;
use std::process::Command;

use libtest_mimic::Trial;
use serde_json::Value;

use crate::harness::{Gate, eventually};

pub fn trials() -> Vec<Trial> {
    let all: &[(&str, fn())] = &[
        ("a_host_is_delegated_to_teams", a_host_is_delegated_to_teams),
        ("a_stranger_takes_no_host_down", a_stranger_takes_no_host_down),
        ("a_child_takes_no_parent_down", a_child_takes_no_parent_down),
        ("a_child_does_not_escape_its_prefix", a_child_does_not_escape_its_prefix),
        ("one_of_two_parents_is_enough", one_of_two_parents_is_enough),
        ("nothing_of_a_rejected_object_is_served", nothing_of_a_rejected_object_is_served),
        ("what_is_wrong_is_said", what_is_wrong_is_said),
        ("a_table_is_for_people", a_table_is_for_people),
        ("sums_follow_the_manifests_while_serving", sums_follow_the_manifests),
    ];
    let trial = |(name, story): &(&str, fn())| {
        let story = *story;
        Trial::test(format!("status::{name}"), move || {
            story();
            Ok(())
        })
    };
    all.iter().map(trial).collect()
}

/// An IngressRoute `namespace/name` with this below `spec`, as flow YAML.
fn route(place: &str, spec: &str) -> String {
    let (namespace, name) = place.split_once('/').expect("a place");
    format!(
        "---\napiVersion: contour.heptio.com/v1beta1\nkind: IngressRoute\n\
         metadata: {{namespace: {namespace}, name: {name}, generation: 7}}\nspec: {{{spec}}}\n"
    )
}

/// A Service `web` with port 80 in each of these namespaces.
fn services(namespaces: &[&str]) -> String {
    let service = |namespace: &&str| {
        format!(
            "---\napiVersion: v1\nkind: Service\nmetadata: {{namespace: {namespace}, name: web}}\nspec: {{ports: [{{port: 80}}]}}\n"
        )
    };
    namespaces.iter().map(service).collect()
}

/// A route that is served, and one that is delegated.
fn serve(prefix: &str) -> String {
    format!("{{match: {prefix}, services: [{{name: web, port: 80}}]}}")
}

fn delegate(prefix: &str, to: &str) -> String {
    let (namespace, name) = to.split_once('/').expect("a place");
    format!("{{match: {prefix}, delegate: {{name: {name}, namespace: {namespace}}}}}")
}

fn root(host: &str, routes: &[String]) -> String {
    format!("virtualhost: {{fqdn: {host}}}, {}", vertex(routes))
}

fn vertex(routes: &[String]) -> String {
    format!("routes: [{}]", routes.join(", "))
}

/// What is printed for these manifests under a configuration without its first two lines.
fn printed(manifests: &[String], config: &str, more: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let objects = folder.path().join("objects");
    std::fs::create_dir(&objects).expect("the folder is writable");
    std::fs::write(objects.join("all.yaml"), manifests.concat()).expect("the folder is writable");
    let file = folder.path().join("config.yaml");
    let head = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n";
    std::fs::write(&file, format!("{head}{config}")).expect("the folder is writable");
    let mut program = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    program.arg("status").arg("--objects").arg(&objects).arg("--config").arg(&file).args(more);
    let output = program.output().expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("it speaks UTF-8");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    text(&output.stdout)
}

/// The statuses by `namespace/name`.
fn statuses(manifests: &[String], config: &str) -> BTreeMap<String, Value> {
    let entries: Vec<Value> = serde_json::from_str(&printed(manifests, config, &["-o", "json"])).expect("JSON");
    let entry = |entry: Value| {
        let place = entry["ref"].as_str().and_then(|place| place.strip_prefix("IngressRoute/")).expect("a place");
        (place.to_owned(), entry["status"].clone())
    };
    entries.into_iter().map(entry).collect()
}

/// State and description of each, in order.
fn said(statuses: &BTreeMap<String, Value>) -> Vec<(&str, &str, &str)> {
    let text = |status: &'_ Value, field: &str| status[field].as_str().map(str::to_owned).expect("text").leak() as &str;
    statuses
        .iter()
        .map(|(place, status)| (&**place, text(status, "currentStatus"), text(status, "description")))
        .collect()
}

const ROOT: &str = "root ingress route";
const DELEGATED: &str = "delegated ingress route";
const ORPHANED: &str = "not part of a delegation chain from a root";

fn a_host_is_delegated_to_teams() {
    let shared = "{match: /finance/partners, service: {name: web, port: 80}}".to_owned();
    let manifests = [
        services(&["prod", "finance", "partners"]),
        route("prod/google", &root("WWW.google.com", &[serve("/static"), delegate("/finance", "finance/app")])),
        route("finance/app", &vertex(&[serve("/finance"), delegate("/finance/partners", "partners/app")])),
        route("partners/app", &vertex(&[shared])),
        route("partners/next", &vertex(&[serve("/finance/partners")])),
    ];
    let statuses = statuses(&manifests, "");
    let expected = [
        ("finance/app", "valid", DELEGATED),
        ("partners/app", "valid", DELEGATED),
        ("partners/next", "orphaned", ORPHANED),
        ("prod/google", "valid", ROOT),
    ];
    assert_eq!(said(&statuses), expected);
    let by = serde_json::json!([{"namespace": "prod", "name": "google", "fqdn": "www.google.com"}]);
    assert!(["prod/google", "finance/app", "partners/app"].iter().all(|place| statuses[*place]["roots"] == by));
    assert_eq!(statuses["partners/next"]["roots"], Value::Null);
    assert!(statuses.values().all(|status| status["observedGeneration"] == 7));
    let condition = &statuses["finance/app"]["conditions"][1];
    assert_eq!((&condition["type"], &condition["status"]), (&"DelegationsAccepted".into(), &"True".into()));
}

/// Contour invalidated both roots, wherever the second one was.
fn a_stranger_takes_no_host_down() {
    let manifests = [
        services(&["prod", "evil"]),
        route("prod/shop", &root("shop.example.com", &[serve("/")])),
        route("evil/shop", &root("Shop.example.com", &[serve("/")])),
    ];
    let fenced = statuses(&manifests, "rootNamespaces: {IngressRoute: [prod]}\n");
    let expected = [("evil/shop", "invalid", "its namespace may not hold roots"), ("prod/shop", "valid", ROOT)];
    assert_eq!(said(&fenced), expected);
    // Where both may be roots the design document rejects both.
    let taken = |other: &str| format!("spec.virtualhost.fqdn is the host of IngressRoute {other} too");
    let free = statuses(&manifests, "");
    let (evil, prod) = (taken("prod/shop"), taken("evil/shop"));
    assert_eq!(said(&free), [("evil/shop", "invalid", &*evil), ("prod/shop", "invalid", &*prod)]);
}

/// Contour invalidated the parent of an object that took a host.
fn a_child_takes_no_parent_down() {
    let manifests = [
        services(&["prod", "team"]),
        route(
            "prod/shop",
            &root("shop.example.com", &[serve("/"), delegate("/a", "team/a"), delegate("/b", "team/b")]),
        ),
        route("team/a", &root("a.example.com", &[serve("/a")])),
        route("team/b", &vertex(&[serve("/b")])),
    ];
    let fenced = statuses(&manifests, "rootNamespaces: {IngressRoute: [prod]}\n");
    let expected = [
        ("prod/shop", "valid", ROOT),
        ("team/a", "invalid", "its namespace may not hold roots"),
        ("team/b", "valid", DELEGATED),
    ];
    assert_eq!(said(&fenced), expected);
    let failing = &fenced["prod/shop"]["conditions"][1];
    let message = "spec.routes[1] delegates to IngressRoute team/a, which names a host that its namespace may not have";
    assert_eq!((&failing["reason"], &failing["message"]), (&"RootNamespace".into(), &message.into()));
    // Where the child may be a root, the parent delegates to a root, which the gate would have refused the child.
    let free = statuses(&manifests, "");
    let blamed = "spec.routes[1] delegates to IngressRoute team/a, which is a root";
    let expected = [("prod/shop", "invalid", blamed), ("team/a", "valid", ROOT), ("team/b", "orphaned", ORPHANED)];
    assert_eq!(said(&free), expected);
}

/// Contour programmed `/` and `/admin` of the last one, for whom only `/finance` was meant.
fn a_child_does_not_escape_its_prefix() {
    let manifests = [
        services(&["prod", "team"]),
        route("prod/shop", &root("shop.example.com", &[serve("/"), delegate("/finance", "team/a")])),
        route("team/a", &vertex(&[serve("/finance"), delegate("/", "team/b")])),
        route("team/b", &vertex(&[serve("/"), serve("/admin")])),
    ];
    let statuses = statuses(&manifests, "");
    let escape = "delegates `/`, which is outside `/finance`, all that IngressRoute prod/shop delegates to it";
    let expected = [("prod/shop", "valid", ROOT), ("team/a", "invalid", escape), ("team/b", "orphaned", ORPHANED)];
    assert_eq!(said(&statuses), expected);
    assert_eq!(statuses["team/a"]["conditions"][0]["reason"], "DelegateEscape");
    assert_eq!(statuses["prod/shop"]["conditions"][1]["reason"], "DelegateEscape");
}

/// Contour called the vertex valid 158 times of 200.
fn one_of_two_parents_is_enough() {
    let mut manifests = vec![
        services(&["team"]),
        route("prod/one", &root("one.example.com", &[delegate("/a", "team/app")])),
        route("prod/two", &root("two.example.com", &[delegate("/b", "team/app")])),
        route("team/app", &vertex(&[serve("/a")])),
    ];
    let first = statuses(&manifests, "");
    let expected = [("prod/one", "valid", ROOT), ("prod/two", "valid", ROOT), ("team/app", "valid", DELEGATED)];
    assert_eq!(said(&first), expected);
    assert_eq!(first["team/app"]["roots"].as_array().map(Vec::len), Some(1));
    let message = "spec.routes[0] delegates to IngressRoute team/app, which serves `/a` outside the match";
    assert_eq!(first["prod/two"]["conditions"][1]["message"], message);
    for _ in 0..4 {
        manifests.rotate_left(1);
        assert_eq!(statuses(&manifests, ""), first);
    }
}

/// Contour served the routes before the fault and dropped those behind it.
fn nothing_of_a_rejected_object_is_served() {
    let both = "{match: /b, services: [{name: web, port: 80}], delegate: {name: b, namespace: team}}".to_owned();
    let manifests = [
        services(&["prod", "team"]),
        route(
            "prod/shop",
            &root("shop.example.com", &[serve("/"), delegate("/a", "team/a"), both, delegate("/c", "team/c")]),
        ),
        route("team/a", &vertex(&[serve("/a")])),
        route("team/c", &vertex(&[serve("/c")])),
    ];
    let statuses = statuses(&manifests, "");
    let expected = [
        ("prod/shop", "invalid", "spec.routes[2] has both services and a delegate"),
        ("team/a", "orphaned", ORPHANED),
        ("team/c", "orphaned", ORPHANED),
    ];
    assert_eq!(said(&statuses), expected);
    assert_eq!(statuses["prod/shop"]["roots"], Value::Null);
}

fn what_is_wrong_is_said() {
    let ring = [
        services(&["team", "prod"]),
        route("prod/shop", &root("shop.example.com", &[delegate("/", "team/a"), delegate("/x", "team/gone")])),
        route("team/a", &vertex(&[delegate("/a", "team/b")])),
        route("team/b", &vertex(&[delegate("/a", "team/a")])),
    ];
    let statuses = |more: String, config: &str| statuses(&[ring.concat(), more], config);
    let found = statuses(String::new(), "");
    let closed = "closes a cycle of delegations: team/b -> team/a -> team/b";
    let expected = [("prod/shop", "valid", ROOT), ("team/a", "valid", DELEGATED), ("team/b", "invalid", closed)];
    assert_eq!(said(&found), expected);
    assert_eq!(found["prod/shop"]["conditions"][1]["reason"], "DelegateMissing");

    let service = "{match: /, services: [{name: web, port: 81}]}".to_owned();
    let tls = |tls: &str| format!("virtualhost: {{fqdn: x.example.com, tls: {{{tls}}}}}, {}", vertex(&[serve("/")]));
    let tcp = "virtualhost: {fqdn: x.example.com, tls: {secretName: x}}, tcpproxy: {services: [{name: web, port: 80}]}";
    for (spec, reason, description) in [
        (root("x.example.com", &[service]), "ServiceExists", "Service web has no port 81"),
        (
            root("'*.example.com'", &[serve("/")]),
            "FqdnWildcard",
            "spec.virtualhost.fqdn `*.example.com` is a wildcard, and a root has one host",
        ),
        (root("''", &[serve("/")]), "FqdnRequired", "spec.virtualhost.fqdn is empty, and a root needs a host"),
        (root("x_y", &[serve("/")]), "FqdnSyntax", "spec.virtualhost.fqdn `x_y` is no DNS name"),
        (root("x.example.com", &[]), "RoutesNonEmpty", "spec.routes is empty, and nothing is served"),
        (
            root("x.example.com", &[serve("/a"), serve("/a/")]),
            "MatchDuplicate",
            "spec.routes[1].match `/a/` is the match of another route",
        ),
        (
            root("x.example.com", &[delegate("/", "prod/x")]),
            "SelfDelegation",
            "spec.routes[0].delegate is the object itself",
        ),
        (
            tls("secretName: ''"),
            "TlsSecretRequired",
            "spec.virtualhost.tls.secretName is empty, and TLS needs a certificate",
        ),
        (
            tls("secretName: x, minimumProtocolVersion: 1.0"),
            "TlsMinVersion",
            "spec.virtualhost.tls.minimumProtocolVersion `1` is none of 1.1, 1.2 and 1.3",
        ),
        (
            tls("secretName: prod/x"),
            "TlsSecretNamespace",
            "spec.virtualhost.tls.secretName is of another namespace, an extension that is not switched on",
        ),
        (tcp.to_owned(), "Tcpproxy", "tcpproxy is an extension that is not switched on"),
    ] {
        let found = statuses(route("prod/x", &spec), "");
        assert_eq!(found["prod/x"]["description"], description);
        assert_eq!(found["prod/x"]["conditions"][0]["reason"], reason, "{description}");
    }
    let on = "extensions: [tcpproxy, certdelegation]\n";
    let lent = "---\napiVersion: contour.heptio.com/v1beta1\nkind: TLSCertificateDelegation\nmetadata: {namespace: certs, name: lent}\nspec: {delegations: [{secretName: x, targetNamespaces: [prod]}]}\n";
    let borrows = route("prod/x", &tls("secretName: certs/x"));
    assert_eq!(statuses(borrows.clone() + lent, on)["prod/x"]["currentStatus"], "valid");
    let refused = "no TLSCertificateDelegation of namespace certs lends it the Secret x";
    assert_eq!(statuses(borrows, on)["prod/x"]["description"], refused);
    assert_eq!(statuses(route("prod/x", tcp), on)["prod/x"]["currentStatus"], "valid");
}

fn a_table_is_for_people() {
    let manifests = [
        services(&["prod"]),
        route("prod/shop", &root("shop.example.com", &[serve("/"), delegate("/a", "team/a")])),
        route("team/b", &vertex(&[serve("/b")])),
    ];
    let expected = "\
NAMESPACE  NAME  STATUS    ROOT              DESCRIPTION
prod       shop  valid     shop.example.com  root ingress route; spec.routes[1] delegates to IngressRoute team/a, which does not exist
team       b     orphaned                    not part of a delegation chain from a root
";
    assert_eq!(printed(&manifests, "", &[]), expected);
}

fn sums_follow_the_manifests() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |manifests: &[String]| {
        std::fs::write(folder.path().join("all.yaml"), manifests.concat()).expect("the folder is writable");
    };
    let shop = route("prod/shop", &root("shop.example.com", &[serve("/"), delegate("/a", "team/a")]));
    let team = route("team/a", &vertex(&[serve("/a")]));
    let stray = route("team/b", &vertex(&[serve("/b")]));
    write(&[services(&["prod", "team"]), shop.clone(), team.clone(), stray.clone()]);
    let gate = Gate::start(["--objects".as_ref(), folder.path().as_os_str()]).ready();
    let metric = |name: &str| gate.metric(&format!("contour_ingressroute_{name}"));
    eventually("the verdicts are counted", || metric(r#"total{namespace="prod"}"#).is_some());
    let rows = [
        (r#"total{namespace="prod"}"#, Some(1.0)),
        (r#"total{namespace="team"}"#, Some(2.0)),
        (r#"root_total{namespace="prod"}"#, Some(1.0)),
        (r#"root_total{namespace="team"}"#, Some(0.0)),
        (r#"orphaned_total{namespace="team"}"#, Some(1.0)),
        (r#"valid_total{namespace="prod",vhost="shop.example.com"}"#, Some(1.0)),
        (r#"valid_total{namespace="team",vhost="shop.example.com"}"#, Some(1.0)),
        (r#"invalid_total{namespace="team",vhost=""}"#, None),
    ];
    rows.into_iter().for_each(|(name, count)| assert_eq!(metric(name), count, "{name}"));
    assert!(metric("dagrebuild_timestamp") > Some(1e9));

    // The Service goes: the child is invalid, and the series of what was valid is no more.
    write(&[services(&["prod"]), shop, team, stray]);
    eventually("the child is rejected", || metric(r#"invalid_total{namespace="team",vhost=""}"#) == Some(1.0));
    assert_eq!(metric(r#"valid_total{namespace="team",vhost="shop.example.com"}"#), None);
    assert_eq!(metric(r#"orphaned_total{namespace="team"}"#), Some(1.0));
    write(&[services(&["prod"])]);
    eventually("nothing is left to count", || metric(r#"total{namespace="team"}"#).is_none());
    assert_eq!(metric(r#"valid_total{namespace="prod",vhost="shop.example.com"}"#), None);
}
