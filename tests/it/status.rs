//! `portcullis status` over manifests, and the same totals as metrics of the server.

mod compare;
mod contour;
mod stored;

use std::collections::BTreeMap;
use std::process::Command;

use libtest_mimic::Trial;
use serde_json::Value;

use crate::harness::{PortcullisServer, eventually};

pub fn trials() -> Vec<Trial> {
    let all: &[(&str, fn())] = &[
        ("a_host_is_delegated_to_teams", a_host_is_delegated_to_teams),
        (
            "root_of_another_namespace_does_not_invalidate_a_host",
            contour::root_of_another_namespace_does_not_invalidate_a_host,
        ),
        ("delegated_root_does_not_invalidate_its_parent", contour::delegated_root_does_not_invalidate_its_parent),
        ("child_does_not_serve_beyond_its_prefix", contour::child_does_not_serve_beyond_its_prefix),
        ("one_of_two_parents_is_enough", contour::one_of_two_parents_is_enough),
        ("nothing_of_a_rejected_object_is_served", contour::nothing_of_a_rejected_object_is_served),
        ("status_reports_errors", status_reports_errors),
        ("a_stored_status_is_merged", stored::a_stored_status_is_merged),
        ("a_status_of_another_manager_is_not_printed", stored::a_status_of_another_manager_is_not_printed),
        ("differences_are_for_people", compare::differences_are_for_people),
        ("a_difference_is_a_failure", compare::a_difference_is_a_failure),
        ("unreadable_object_is_invalid", unreadable_object_is_invalid),
        ("text_is_for_people", text_is_for_people),
        ("classes_of_other_controllers_are_named", classes_of_other_controllers_are_named),
        ("sums_follow_the_manifests_while_serving", sums_follow_the_manifests),
    ];
    let trial = |(name, test): &(&str, fn())| {
        let test = *test;
        Trial::test(format!("status::{name}"), move || {
            test();
            Ok(())
        })
    };
    all.iter().map(trial).collect()
}

/// An IngressRoute `namespace/name` with this `spec` as flow YAML.
fn route(object_ref: &str, spec: &str) -> String {
    let (namespace, name) = object_ref.split_once('/').expect("a place");
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

/// A route with a Service.
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

/// The output for these manifests with this configuration, given without its first two lines.
fn printed(manifests: &[String], config: &str, more: &[&str]) -> String {
    let (code, output, errors) = ran(manifests, config, more);
    assert_eq!((code, errors), (Some(0), String::new()));
    output
}

/// The exit code, stdout and stderr.
fn ran(manifests: &[String], config: &str, more: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let objects = folder.path().join("objects");
    std::fs::create_dir(&objects).expect("the folder is writable");
    std::fs::write(objects.join("all.yaml"), manifests.concat()).expect("the folder is writable");
    let file = folder.path().join("config.yaml");
    let head = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n";
    std::fs::write(&file, format!("{head}{config}")).expect("the folder is writable");
    let mut program = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    program.args(["status", "--complete", "--objects"]).arg(&objects).arg("--config").arg(&file).args(more);
    let output = program.output().expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("it speaks UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The statuses by `namespace/name`.
fn statuses(manifests: &[String], config: &str) -> BTreeMap<String, Value> {
    by_place(&printed(manifests, config, &["-o", "json"]))
}

fn by_place(printed: &str) -> BTreeMap<String, Value> {
    let entries: Vec<Value> = serde_json::from_str(printed).expect("JSON");
    let entry = |entry: Value| {
        let object_ref =
            entry["ref"].as_str().and_then(|object_ref| object_ref.strip_prefix("IngressRoute/")).expect("a place");
        (object_ref.to_owned(), entry["status"].clone())
    };
    entries.into_iter().map(entry).collect()
}

/// Name, state and description of each status, in order.
fn summarized(statuses: &BTreeMap<String, Value>) -> Vec<(&str, &str, &str)> {
    let text = |status: &'_ Value, field: &str| status[field].as_str().map(str::to_owned).expect("text").leak() as &str;
    statuses
        .iter()
        .map(|(object_ref, status)| (&**object_ref, text(status, "currentStatus"), text(status, "description")))
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
    assert_eq!(summarized(&statuses), expected);
    let by = serde_json::json!([{"namespace": "prod", "name": "google", "fqdn": "www.google.com"}]);
    assert!(
        ["prod/google", "finance/app", "partners/app"].iter().all(|object_ref| statuses[*object_ref]["roots"] == by)
    );
    assert_eq!(statuses["partners/next"]["roots"], Value::Null);
    assert!(statuses.values().all(|status| status["observedGeneration"] == 7));
    let condition = &statuses["finance/app"]["conditions"][1];
    assert_eq!((&condition["type"], &condition["status"]), (&"DelegationsAccepted".into(), &"True".into()));
}

fn status_reports_errors() {
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
    assert_eq!(summarized(&found), expected);
    assert_eq!(found["prod/shop"]["conditions"][1]["reason"], "DelegateNotFound");

    let service = "{match: /, services: [{name: web, port: 81}]}".to_owned();
    let tls = |tls: &str| format!("virtualhost: {{fqdn: x.example.com, tls: {{{tls}}}}}, {}", vertex(&[serve("/")]));
    let tcp = "virtualhost: {fqdn: x.example.com, tls: {secretName: x}}, tcpproxy: {services: [{name: web, port: 80}]}";
    for (spec, reason, description) in [
        (root("x.example.com", &[service]), "ServiceNotFound", "Service web has no port 81"),
        (
            root("'*.example.com'", &[serve("/")]),
            "FqdnWildcard",
            "spec.virtualhost.fqdn: `*.example.com` is a wildcard; a root has exactly one hostname: create a root for each hostname",
        ),
        (
            root("''", &[serve("/")]),
            "FqdnMissing",
            "spec.virtualhost.fqdn: the hostname of the root is required, such as shop.example.com",
        ),
        (
            root("x_y", &[serve("/")]),
            "FqdnMalformed",
            "spec.virtualhost.fqdn: `x_y` must not contain `_`: use lower-case letters, digits, `-` and `.`",
        ),
        (
            root("x.example.com", &[]),
            "RoutesMissing",
            "spec.routes: at least one route is required; without one nothing is served",
        ),
        (
            root("x.example.com", &[serve("/a"), serve("/a/")]),
            "MatchDuplicate",
            "spec.routes[1].match: `/a/` is already the match of another route; merge the two routes",
        ),
        (
            root("x.example.com", &[delegate("/", "prod/x")]),
            "SelfDelegation",
            "spec.routes[0].delegate: `x` delegates to itself: name another IngressRoute or give the route services",
        ),
        (
            tls("secretName: ''"),
            "TlsSecretMissing",
            "spec.virtualhost.tls.secretName: a Secret with the certificate and key of the host is required",
        ),
        (
            tls("secretName: x, minimumProtocolVersion: 1.0"),
            "TlsVersionUnknown",
            "spec.virtualhost.tls.minimumProtocolVersion: `1` is not supported: use \"1.1\", \"1.2\" or \"1.3\"",
        ),
        (
            tls("secretName: prod/x"),
            "TlsSecretInOtherNamespace",
            "spec.virtualhost.tls.secretName names a namespace, but the extension certdelegation is not enabled",
        ),
        (
            tls("secretName: My_Cert"),
            "TlsSecretMalformed",
            "spec.virtualhost.tls.secretName: `My_Cert` must not contain `_`: use lower-case letters, digits, `-` and `.`",
        ),
        (
            root(
                "x.example.com",
                &["{match: /, services: [{name: web, port: 80}], timeoutPolicy: {request: soon}}".to_owned()],
            ),
            "TimeoutMalformed",
            "spec.routes[0].timeoutPolicy.request: `soon` is not a valid duration: use a number with a unit, such as 5s or 150ms, or infinity",
        ),
        (
            root(
                "x.example.com",
                &["{match: /, services: [{name: web, port: 80}], retryPolicy: {count: -1}}".to_owned()],
            ),
            "RetryMalformed",
            "spec.routes[0].retryPolicy.count: -1 must be greater than or equal to 0",
        ),
        (
            root("x.example.com", &["{match: /, services: [{name: web, port: 80, weight: -2}]}".to_owned()]),
            "WeightOutOfRange",
            "spec.routes[0].services[0].weight: -2 must be greater than or equal to 0",
        ),
        (tcp.to_owned(), "ExtensionDisabled", "the extension tcpproxy is not enabled"),
    ] {
        let found = statuses(route("prod/x", &spec), "");
        assert_eq!(found["prod/x"]["description"], description);
        assert_eq!(found["prod/x"]["conditions"][0]["reason"], reason, "{description}");
    }
    let on = "extensions: [tcpproxy, certdelegation]\n";
    let delegated = "---\napiVersion: contour.heptio.com/v1beta1\nkind: TLSCertificateDelegation\nmetadata: {namespace: certs, name: lent}\nspec: {delegations: [{secretName: x, targetNamespaces: [prod]}]}\n";
    let borrows = route("prod/x", &tls("secretName: certs/x"));
    let lent = borrows.clone() + delegated + &tls_secret("certs", "x");
    assert_eq!(statuses(lent, on)["prod/x"]["currentStatus"], "valid");
    let refused = "no TLSCertificateDelegation.contour.heptio.com in namespace certs delegates Secret x to the namespace of this object";
    assert_eq!(statuses(borrows, on)["prod/x"]["description"], refused);
    assert_eq!(statuses(route("prod/x", tcp) + &tls_secret("prod", "x"), on)["prod/x"]["currentStatus"], "valid");
    let own = route("prod/x", &tls("secretName: own"));
    assert_eq!(statuses(own.clone(), "")["prod/x"]["description"], ROOT, "files without any Secret leave them out");
    let other = own.clone() + &tls_secret("prod", "other");
    assert_eq!(statuses(other, "")["prod/x"]["description"], "Secret own not found");
    assert_eq!(statuses(own.clone() + &tls_secret("prod", "own"), "")["prod/x"]["currentStatus"], "valid");
    let secret = "---\napiVersion: v1\nkind: Secret\nmetadata: {namespace: prod, name: own}\ntype: kubernetes.io/tls\nstringData: {tls.crt: a, tls.key: b}\n";
    let rejected = statuses(own + secret, "");
    assert_eq!(rejected["prod/x"]["description"], "Secret own has no usable certificate and key");
    assert_eq!(rejected["prod/x"]["conditions"][0]["reason"], "TlsSecretUnusable");
}

/// A Secret with a certificate and its key.
fn tls_secret(namespace: &str, name: &str) -> String {
    let pair = rcgen::generate_simple_self_signed(["x.example.com".to_owned()]).expect("a valid name");
    let data = serde_json::json!({"tls.crt": pair.cert.pem(), "tls.key": pair.signing_key.serialize_pem()});
    format!(
        "---\napiVersion: v1\nkind: Secret\nmetadata: {{namespace: {namespace}, name: {name}}}\n\
         type: kubernetes.io/tls\nstringData: {data}\n"
    )
}

fn unreadable_object_is_invalid() {
    let manifests = [
        services(&["prod"]),
        route(
            "prod/shop",
            &root("shop.example.com", &[serve("/"), delegate("/a", "team/a"), delegate("/b", "team/b")]),
        ),
        route("team/a", "routes: [{match: /a, services: [{name: web, port: eighty}]}]"),
        route("team/c", "virtualhost: [c.example.com]"),
    ];
    let (code, printed, errors) = ran(&manifests, "", &["-o", "json"]);
    assert_eq!(code, Some(3), "{errors}");
    assert!(errors.contains("all.yaml: IngressRoute team/a cannot be read: spec.routes[0].services"), "{errors}");
    let statuses = by_place(&printed);
    let port =
        "cannot be read: spec.routes[0].services[0].port: invalid type: string \"eighty\", expected a whole number";
    let host = "cannot be read: spec.virtualhost: invalid type: sequence, expected a map";
    assert_eq!(
        summarized(&statuses),
        [("prod/shop", "valid", ROOT), ("team/a", "invalid", port), ("team/c", "invalid", host)]
    );
    assert_eq!(statuses["team/a"]["conditions"][0]["reason"], "Unreadable");
    assert_eq!(statuses["team/a"]["observedGeneration"], 7);
    let failing = "spec.routes[1] delegates to IngressRoute team/a, which is invalid; spec.routes[2] delegates to \
                   IngressRoute team/b, which does not exist";
    assert_eq!(statuses["prod/shop"]["conditions"][1]["message"], failing);

    let of_class = |object_ref: &str, spec: &str, label: &str| {
        let more =
            format!("annotations: {{kubernetes.io/ingress.class: internal}}, labels: {{version: {label}}}, generation");
        route(object_ref, spec).replace("generation", &more)
    };
    let manifests = [
        of_class("prod/shop", &root("shop.example.com", &[delegate("/a", "team/a")]), "a"),
        of_class("team/a", &vertex(&[serve("/a")]), "1"),
    ];
    let (_, printed, _) = ran(&manifests, "", &["-o", "json"]);
    let (statuses, failing) = (by_place(&printed), "spec.routes[0] delegates to IngressRoute team/a, which is invalid");
    assert_eq!(statuses["prod/shop"]["conditions"][1]["message"], failing, "its class can be read");
    assert_eq!(statuses["team/a"]["observedGeneration"], 7);
}

fn text_is_for_people() {
    let manifests = [
        services(&["prod"]),
        route("prod/shop", &root("shop.example.com", &[serve("/"), delegate("/a", "team/a")])),
        route("team/b", &vertex(&[serve("/b")])),
    ];
    let expected = "\
IngressRoute prod/shop: valid
  Valid=True Root: root ingress route
  DelegationsAccepted=False DelegateNotFound: spec.routes[1] delegates to IngressRoute team/a, which does not exist
IngressRoute team/b: orphaned
  Valid=False Orphaned: not part of a delegation chain from a root; delegated to, it would be invalid: Service web not found in its namespace
";
    assert_eq!(printed(&manifests, "", &[]), expected);
    let (code, output, errors) = ran(&[services(&["prod"])], "status: {controllerName: example.com/own}", &[]);
    assert_eq!((code, output.as_str()), (Some(0), ""));
    assert!(errors.contains("no object gets a status: ") && errors.contains("`example.com/own`"), "{errors}");
}

fn classes_of_other_controllers_are_named() {
    let class = |name: &str, controller: &str| {
        format!(
            "---\napiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {{name: {name}}}\n\
             spec: {{controllerName: {controller}}}\n"
        )
    };
    let manifests = [class("own", "example.com/own"), class("b", "example.com/other"), class("a", "example.com/other")];
    let (code, output, errors) = ran(&manifests, "status: {controllerName: example.com/own}", &[]);
    let expected = "portcullis: note: `example.com/other` writes the status of what belongs to GatewayClass a, GatewayClass b; --compare \
                    compares it with the specification\n";
    assert_eq!((code, errors.as_str()), (Some(0), expected));
    assert!(output.starts_with("GatewayClass own\n"), "{output}");
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
    let server = PortcullisServer::start(["--objects".as_ref(), folder.path().as_os_str()]).ready();
    let metric = |name: &str| server.metric(&format!("contour_ingressroute_{name}"));
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

    // Without the Service the child is invalid, and the series of valid objects no longer exists.
    write(&[services(&["prod"]), shop, team, stray]);
    eventually("the child is rejected", || metric(r#"invalid_total{namespace="team",vhost=""}"#) == Some(1.0));
    assert_eq!(metric(r#"valid_total{namespace="team",vhost="shop.example.com"}"#), None);
    assert_eq!(metric(r#"orphaned_total{namespace="team"}"#), Some(1.0));
    write(&[services(&["prod"])]);
    eventually("nothing is left to count", || metric(r#"total{namespace="team"}"#).is_none());
    assert_eq!(metric(r#"valid_total{namespace="prod",vhost="shop.example.com"}"#), None);
}
