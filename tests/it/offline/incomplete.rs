//! Unread input never results in a success.

use std::fs;
use std::process::Command;

use super::{folder, ingress, lint};
use crate::harness::{ControlPlane, Flavour};

fn run(words: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_portcullis")).args(words).output().expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

const RETIRED: &str = "---\napiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {namespace: web, name: old}\n\
                       spec: {rules: [{host: old.example.com}]}\n";

pub fn an_unread_document_hides_no_neighbor() {
    let hijack = ingress("web", "shop", "shop.example.com", "cart");
    let unread = ["---\nkind: [\n", "---\na: 'b\n"];
    for unread in unread {
        for text in [format!("{unread}{hijack}"), format!("{hijack}{unread}")] {
            let (code, printed, errors) = lint(folder(&[("a.yaml", &text)]).path(), &[]);
            assert_eq!(code, Some(1), "{printed}{errors}");
            assert!(printed.contains("[ingress/path-not-absolute]"), "{printed}");
            assert!(
                printed.contains("incomplete: 1 object, 1 would be denied, 0 warnings; 1 document not checked"),
                "{printed}"
            );
        }
    }
    let clean = ingress("web", "shop", "shop.example.com", "/cart");
    let (code, printed, _) = lint(folder(&[("a.yaml", &format!("---\nkind: [\n{clean}"))]).path(), &[]);
    assert_eq!(code, Some(3));
    assert!(!printed.contains("0 would be denied"), "{printed}");
}

/// A pipeline that applies such a file stops there, and no cluster holds such an object.
pub fn a_retired_version_is_denied_and_never_stored() {
    let clean = ingress("web", "shop", "shop.example.com", "/cart");
    let files = folder(&[("a.yaml", RETIRED)]);
    let (code, printed, errors) = lint(files.path(), &[]);
    assert_eq!((code, &*errors), (Some(1), ""), "{printed}");
    let expected = "Deny  apiVersion: extensions/v1beta1 is not served since Kubernetes 1.22: use networking.k8s.io/v1 \
                    [object/version-retired]\n";
    assert!(printed.contains(expected), "{printed}");
    let stored = files.path().to_str().expect("a path is text");
    let (code, printed, errors) = lint(folder(&[("b.yaml", &clean)]).path(), &["--objects", stored]);
    assert_eq!((code, &*errors), (Some(0), ""), "{printed}");
}

pub fn unread_documents_are_counted_by_cause() {
    let folder = folder(&[
        ("a.yaml", &(RETIRED.repeat(2) + "---\nkind: [\n" + &ingress("web", "shop", "shop.example.com", "/"))),
        ("b.yaml", "kind: [\n"),
        (
            "c.yaml",
            &ingress("web", "bad", "bad.example.com", "/").replace("80", "'80'").replace("number: '80'", "number: {}"),
        ),
    ]);
    fs::write(folder.path().join("d.yaml"), [0x61, 0xff]).expect("writable");
    let (code, printed, errors) = lint(folder.path(), &[]);
    let expected = "; 3 documents not checked; 1 document checked in part\n  not UTF-8 text: 1 (DIR/d.yaml)\n  field of the wrong type: 1 (DIR/c.yaml)\n  \
                    malformed YAML or JSON: 2 (DIR/a.yaml, DIR/b.yaml)\n";
    let mut lines: Vec<&str> = expected.lines().skip(1).collect();
    lines.sort_unstable();
    assert_ne!(code, Some(0));
    assert!(
        printed.contains("incomplete: ") && printed.contains("; 3 documents not checked; 1 document checked in part\n"),
        "{printed}{errors}"
    );
    for line in lines {
        assert!(printed.contains(line), "{line} is not in\n{printed}");
    }
    assert!(!errors.contains("web/bad"), "an object with a finding is not reported again: {errors}");
}

pub fn templates_and_kustomizations_are_named() {
    let folder =
        folder(&[("Chart.yaml", "apiVersion: v2\nname: shop\n"), ("kustomization.yaml", "resources: [a.yaml]\n")]);
    fs::create_dir(folder.path().join("templates")).expect("writable");
    let templated = ingress("web", "shop", "'{{ .Values.host }}'", "/");
    let text = format!("{templated}{}", ingress("web", "plain", "a.example.com", "/"));
    fs::write(folder.path().join("templates/a.yaml"), text).expect("writable");
    let (code, printed, errors) = lint(folder.path(), &[]);
    assert_eq!(code, Some(3), "{printed}{errors}");
    assert!(printed.contains("incomplete: 1 object, "), "{printed}");
    assert!(printed.contains("template that is not rendered: 1 (DIR/templates/a.yaml)"), "{printed}");
    assert!(errors.contains("use `lint --helm`, or what `helm template` prints"), "{errors}");
    assert!(errors.contains("kustomization.yaml: a kustomization is not built here"), "{errors}");
}

/// The charts of a repository say nothing about the files that are checked against it, but what they define is not missing.
pub fn templates_beside_the_checked_files_do_not_fail() {
    let folder = folder(&[("Chart.yaml", "apiVersion: v2\nname: shop\n")]);
    fs::create_dir(folder.path().join("templates")).expect("writable");
    let service = "apiVersion: v1\nkind: Service\nmetadata: {namespace: web, name: '{{ .Release.Name }}'}\n";
    fs::write(folder.path().join("templates/a.yaml"), service).expect("writable");
    let checked = super::folder(&[("a.yaml", &ingress("web", "plain", "a.example.com", "/"))]);
    let objects = folder.path().display().to_string();
    let (code, printed, errors) = lint(checked.path(), &["--objects", &objects, "--complete"]);
    assert_eq!(code, Some(0), "{printed}{errors}");
    assert!(
        printed.contains("template that is not rendered: 1") && !printed.contains("service-not-found"),
        "{printed}"
    );
    let (_, commands, _) = lint(checked.path(), &["--objects", &objects, "-o", "github"]);
    assert_eq!(commands.matches("not checked%3A template").count(), 1, "{commands}");
}

/// A document that may be meant as an object of ours is counted, by cause and file.
pub fn possible_objects_make_the_result_incomplete() {
    let shop = ingress("web", "shop", "shop.example.com", "/");
    let headless = "metadata: {name: a}\nspec: {rules: [{host: a.example.com}]}\n";
    let item = "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a}, spec: {}}";
    let (no_object, unknown) = ("not an object with apiVersion and kind", "unknown kind or version");
    let unopened = "template that is not rendered";
    for (text, cause) in [
        (headless.to_owned(), no_object),
        (format!("Kind: Ingress\napiVersion: networking.k8s.io/v1\n{headless}"), no_object),
        (format!("kind: Ingress\n{headless}"), no_object),
        (format!("apiVersion: networking.k8s.io/v1\n{headless}"), no_object),
        ("just words\n".to_owned(), no_object),
        (format!("- {item}\n"), no_object),
        (format!("items: [{item}]\n"), no_object),
        (format!("apiVersion: v1\nkind: list\nitems: [{item}]\n"), no_object),
        (format!("apiVersion: v1\nkind: List\nItems: [{item}]\n"), no_object),
        (format!("apiVersion: v1\nkind: List\nitems: {{a: {item}}}\n"), no_object),
        ("apiVersion: v1\nkind: List\nitems: [text]\n".to_owned(), no_object),
        (format!("apiVersion: networking.k8s.io/v1\nkind: IngressList\nitems: {{a: {item}}}\n"), no_object),
        (format!("apiVersion: template.openshift.io/v1\nkind: Template\nobjects: [{item}]\n"), unopened),
        (format!("apiVersion: networking.k8s.io/v2\nkind: Ingress\n{headless}"), unknown),
        (format!("apiVersion: projectcontour.io/v1alpha1\nkind: HTTPProxy\n{headless}"), unknown),
        (format!("apiVersion: networking.k8s.io/v1\nkind: ingresses\n{headless}"), unknown),
        (format!("apiVersion: networking.k8s.io/v1\nkind: IngressLst\nitems: [{item}]\n"), unknown),
    ] {
        let folder = folder(&[("a.yaml", &shop), ("b.yaml", &text)]);
        let (code, printed, errors) = lint(folder.path(), &[]);
        assert_eq!(code, Some(3), "{text}\n{printed}{errors}");
        let summary = format!("incomplete: 1 object, 0 warnings; 1 document not checked\n  {cause}: 1 (DIR/b.yaml)\n");
        assert_eq!(printed, summary, "{text}\n{errors}");
        assert!(errors.starts_with("portcullis: DIR/b.yaml: "), "{errors}");
    }
}

/// A fault in one element of a list is not reported for the other elements.
pub fn only_the_malformed_element_is_reported() {
    let object = |kind: &str, spec: &str| {
        format!(
            "---\napiVersion: gateway.networking.k8s.io/v1\nkind: {kind}\nmetadata: {{namespace: web, name: a}}\nspec: {spec}\n"
        )
    };
    let gateway = "{gatewayClassName: any, listeners: [{name: a, port: eighty, protocol: HTTP}, {name: b, port: 81, protocol: HTTP}]}";
    let rule = "{backendRefs: [{name: a, port: 80}]}";
    let routes = format!("{{parentRefs: [{{name: edge}}], rules: [text, {rule}]}}");
    let unread = "{parentRefs: [{name: edge}], rules: {a: b}}".to_owned();
    for (kind, spec, expected) in [
        ("Gateway", gateway, "spec.listeners[0].port: must be a whole number, not a string"),
        ("HTTPRoute", &routes, "spec.rules[0]: must be a map, not a string"),
        ("HTTPRoute", &unread, "spec.rules: must be a list, not a map"),
    ] {
        let (code, printed, errors) = lint(folder(&[("a.yaml", &object(kind, spec))]).path(), &[]);
        assert_eq!((code, &*errors), (Some(1), ""), "{printed}");
        let lines: Vec<&str> =
            printed.lines().filter(|line| ["  Deny  ", "  Warn  "].iter().any(|word| line.contains(word))).collect();
        let expected = format!("  Deny  {expected} [object/type-mismatch]");
        assert!(matches!(lines[..], [line] if line.ends_with(&expected)), "{printed}");
    }
}

/// A manifest without rules. The API server adds a rule without a backend.
pub fn route_without_rules_gets_one_finding_about_rules() {
    let route = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {namespace: web, name: a}\nspec: {parentRefs: [{name: edge}]}\n";
    let (code, printed, errors) = lint(folder(&[("a.yaml", route)]).path(), &[]);
    assert_eq!((code, &*errors), (Some(0), ""), "{printed}");
    let expected = "  Warn  spec.rules: a rule with a backend is required: without rules, every request gets an error [route/rule-unanswered]\n";
    assert!(printed.contains(expected), "{printed}");
}

/// If the order of two objects is unknown, neither is reported as the later one.
pub fn objects_of_unknown_age_are_reported_as_a_pair() {
    let root = |namespace: &str| {
        format!(
            "---\napiVersion: projectcontour.io/v1\nkind: HTTPProxy\nmetadata: {{namespace: {namespace}, name: a}}\n\
             spec: {{virtualhost: {{fqdn: a.example.com}}, routes: [{{services: [{{name: a, port: 80}}]}}]}}\n"
        )
    };
    let route = |namespace: &str| {
        format!(
            "---\napiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {{namespace: {namespace}, name: a}}\n\
             spec: {{parentRefs: [{{name: edge, namespace: web}}], hostnames: [b.example.com], rules: [{{backendRefs: [{{name: a, port: 80}}]}}]}}\n"
        )
    };
    let edge = "---\napiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {namespace: web, name: edge}\n\
                spec: {gatewayClassName: any, listeners: [{name: a, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]}\n";
    let shops = ingress("team", "a", "c.example.com", "/") + &ingress("web", "a", "c.example.com", "/");
    for objects in [root("team") + &root("web"), edge.to_owned() + &route("team") + &route("web"), shops] {
        let (_, printed, errors) = lint(folder(&[("a.yaml", &objects)]).path(), &[]);
        assert_eq!(printed.matches("one of the two [").count(), 1, "{printed}{errors}");
        assert!(!printed.contains("already") && !printed.contains("takes precedence"), "{printed}");
    }
}

/// Files of other tools beside manifests are not faults.
pub fn other_files_are_no_fault() {
    let shop = ingress("web", "shop", "shop.example.com", "/");
    let folder = folder(&[
        ("a.yaml", &shop),
        ("values.yaml", "ingress: {hosts: [{host: a.example.com}]}\nmetadata: {name: a}\nspec: {}\n"),
        ("docker-compose.yaml", "services: {web: {image: nginx}}\n"),
        ("ci.yml", "on: [push]\njobs: {build: {steps: [{run: make}]}}\n"),
        ("package.json", r#"{"name": "shop", "version": "1.0.0"}"#),
        ("api.json", r#"{"openapi": "3.0.0", "info": {"title": "shop"}, "paths": {}}"#),
        ("schema.json", r#"{"type": "array", "items": {"type": "string"}}"#),
        ("patch.json", r#"[{"op": "remove", "path": "/spec/rules/0"}]"#),
        ("null.yaml", "null\n"),
    ]);
    let printed = "1 object, 0 would be denied, 0 warnings; 7 documents are not Kubernetes objects\n".to_owned();
    assert_eq!(lint(folder.path(), &[]), (Some(0), printed, String::new()));
}

/// A certificate delegation for HTTPProxies is only looked up, like a Service.
pub fn lookup_only_kinds_are_counted() {
    let delegation = "---\napiVersion: projectcontour.io/v1\nkind: TLSCertificateDelegation\nmetadata: {namespace: web, name: a}\n\
                      spec: {delegations: [{secretName: a, targetNamespaces: ['*']}]}\n";
    let service = "---\napiVersion: v1\nkind: Service\nmetadata: {namespace: web, name: a}\n";
    let alone = lint(folder(&[("a.yaml", delegation)]).path(), &[]);
    assert_eq!(alone, lint(folder(&[("a.yaml", service)]).path(), &[]));
    assert_eq!(alone.0, Some(0), "{alone:?}");
    assert!(alone.1.contains("1 object was read only to resolve references"), "{alone:?}");
}

/// The rest of an object without a name is checked, and the name is a finding.
pub fn nameless_objects_are_checked() {
    let route = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nspec: {parentRefs: [{name: edge}], rules: [{filters: [{type: Nothing}]}]}\n";
    let ingress = ingress("web", "shop", "shop.example.com", "cart").replace("name: shop}", "labels: {}}");
    let (code, printed, errors) = lint(folder(&[("a.yaml", &(ingress + "---\n" + route))]).path(), &[]);
    assert_eq!((code, &*errors), (Some(1), ""), "{printed}");
    for id in ["ingress/name-malformed", "ingress/path-not-absolute", "object/name-malformed", "filter/type-unknown"] {
        assert!(printed.contains(id), "{id}: {printed}");
    }
}

/// The standard channel does not serve alpha versions.
pub fn unserved_versions_are_reported() {
    let route = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: TCPRoute\nmetadata: {name: a}\n\
                 spec: {parentRefs: [{name: edge}], rules: [{backendRefs: [{name: a, port: 1}]}]}\n";
    let of = |version: &str| {
        format!(
            "TCPRoute default/a of gateway.networking.k8s.io/v1alpha2 is not served by Gateway API {version} standard: use gateway.networking.k8s.io/v1\n"
        )
    };
    let folder = folder(&[("a.yaml", route)]);
    let (code, _, errors) = lint(folder.path(), &[]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(
        errors.contains(&of("v1.7")) && errors.contains("bundle v1.7 standard of the Gateway API is assumed"),
        "{errors}"
    );
    for (channel, expected) in [("standard", 3), ("experimental", 0)] {
        let config = folder.path().join("config");
        let text = format!(
            "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\ngatewayBundle: {{version: '1.6', channel: {channel}}}\n"
        );
        std::fs::write(&config, text).expect("a file can be written");
        let (code, _, errors) =
            lint(&folder.path().join("a.yaml"), &["--config", config.to_str().expect("a plain name")]);
        assert_eq!((code, errors.contains(&of("v1.6"))), (Some(expected), expected == 3), "{errors}");
    }
}

/// Standard input cannot be read as `-`.
pub fn dash_argument_is_reported_with_a_fix() {
    let (code, printed, errors) = run(&["explain", "http://a.example.com/", "--objects", "-"]);
    assert_eq!((code, &*printed), (Some(2), ""));
    assert!(errors.contains("standard input is not read here: pass the path of a file or folder"), "{errors}");
}

pub fn unrelated_unread_files_do_not_affect_explain() {
    let shop = ingress("web", "shop", "shop.example.com", "/");
    let answer = |more: &str| {
        let folder = folder(&[("a.yaml", &shop), ("b.yaml", more)]);
        run(&["explain", "http://shop.example.com/", "--objects", folder.path().to_str().expect("a plain name")])
    };
    let of = |host: &str| ingress("web", "bad", host, "/").replace("number: 80", "number: {}");
    for (more, expected) in [
        (RETIRED, 0),
        (&*RETIRED.replace("old.example", "*.example"), 3),
        ("kind: Deployment\nmetadata: [\n", 0),
        ("docs: [\n", 0),
        ("kind: Ingress\nmetadata: [\n", 3),
        ("apiVersion: networking.k8s.io/v1\nmetadata: [\n", 3),
        ("  rules: [{host: a\n", 3),
        ("metadata: {name: a}\nspec: {}\n", 3),
        ("services: {web: {image: [\n", 0),
        (&of("other.example.com"), 0),
        (&of("shop.example.com"), 3),
        ("apiVersion: v1\nkind: Service\nmetadata: {namespace: web, name: other}\nspec: {ports: 7}\n", 0),
        ("apiVersion: v1\nkind: Service\nmetadata: {namespace: web, name: cart}\nspec: {ports: 7}\n", 3),
    ] {
        let (code, printed, errors) = answer(more);
        assert_eq!(code, Some(expected), "{more}\n{printed}{errors}");
        assert!(printed.contains("Ingress web/shop answers") && !errors.is_empty(), "{printed}{errors}");
        assert_eq!(printed.contains("not read, and might answer"), expected == 3, "{printed}");
    }
}

pub fn expired_permissions_are_reported() {
    let text = format!(
        "apiVersion: {}\nkind: {}\nexemptions:\n- {{checks: [ingress/snippet], match: {{namespaces: {{names: [web]}}}}, reason: once, expires: 2020-01-01}}\n\
         - {{checks: [ingress/snippet], match: {{namespaces: {{names: [team]}}}}, reason: still, expires: 2999-01-01}}\n\
         handovers:\n- {{host: a.example.com, from: web, to: team, expires: 2020-02-01}}\n- {{host: b.example.com, from: web, to: team, expires: 2999-01-01}}\n",
        portcullis_core::config::API_VERSION,
        portcullis_core::config::KIND
    );
    let folder = folder(&[("config.yaml", &text), ("a.yaml", &ingress("web", "shop", "shop.example.com", "/"))]);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let checked = run(&["config", "check", &path("config.yaml")]);
    let configured = run(&["lint", &path("a.yaml"), "--config", &path("config.yaml")]);
    for (code, printed, errors) in [checked, configured] {
        assert_eq!(code, Some(0), "{printed}{errors}");
        let expected = [
            "the exemption from ingress/snippet expired 2020-01-01T00:00Z: remove it or set a later date",
            "the handover of a.example.com from web to team expired 2020-02-01T00:00Z",
        ];
        assert!(expected.iter().all(|words| errors.contains(words)), "{errors}");
        assert_eq!((errors.lines().count(), errors.matches(" line ").count()), (2, 2), "{errors}");
    }
}

/// A ServiceAccount without permissions.
pub fn account_without_rights() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let web = control_plane.namespace("web");
    let web = web.to_string();
    control_plane
        .apply(&format!("apiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: without-rights, namespace: {web}}}\n"))
        .accepted();
    let kubeconfig = control_plane.kubeconfig_for(&web, "without-rights");
    let kubeconfig = kubeconfig.to_str().expect("a plain name");
    let (code, printed, errors) = run(&["audit", "--kubeconfig", kubeconfig]);
    assert_eq!((code, &*printed), (Some(3), "incomplete: 0 objects, 0 warnings; 0 of 4 kinds readable\n"), "{errors}");
    assert_eq!(
        errors.matches("a ClusterRole with the rights is in `portcullis manifests rbac`").count(),
        1,
        "{errors}"
    );
    for (format, words) in [
        ("json", "\"message\": \"ingresses are not readable (RBAC)"),
        ("sarif", "\"executionSuccessful\": false"),
        ("sarif", "\"text\": \"ingresses are not readable (RBAC)"),
        ("junit", "<error type=\"kind that is not readable\""),
        ("github", "::warning title=not checked%3A kind that is not readable::ingresses are not readable (RBAC)"),
        ("openreports", "  result: error\n"),
        ("openreports", "  message: \"ingresses are not readable (RBAC): "),
    ] {
        let (code, printed, errors) = run(&["audit", "--kubeconfig", kubeconfig, "-o", format]);
        assert!(code == Some(3) && printed.contains(words), "{format}: {printed}{errors}");
    }
    let (code, printed, errors) = run(&["explain", "http://a.example.com/", "--kubeconfig", kubeconfig]);
    assert_eq!(code, Some(3), "{errors}");
    assert!(printed.contains("incomplete: no object that could be read answers this request"), "{printed}");
    assert!(printed.contains("ingresses are not readable (RBAC)"), "{printed}");
}

/// One host of each API, whose Services are not in the files.
const WITHOUT_SERVICES: &str = "\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {namespace: web, name: shop}
spec:
  ingressClassName: public
  rules:
  - host: ingress.example
    http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: shop, port: {number: 80}}}}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {namespace: web, name: edge}
spec:
  gatewayClassName: public
  listeners: [{name: http, port: 80, protocol: HTTP}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {namespace: web, name: shop}
spec:
  parentRefs: [{name: edge}]
  hostnames: [route.example]
  rules: [{backendRefs: [{name: shop, port: 80}]}]
---
apiVersion: projectcontour.io/v1
kind: HTTPProxy
metadata: {namespace: web, name: shop}
spec:
  virtualhost: {fqdn: proxy.example}
  routes: [{services: [{name: shop, port: 80}]}]
---
apiVersion: contour.heptio.com/v1beta1
kind: IngressRoute
metadata: {namespace: web, name: shop}
spec:
  virtualhost: {fqdn: root.example}
  routes: [{match: /, services: [{name: shop, port: 80}]}]
";

/// What files refer to may be elsewhere, for `lint`, `explain` and `status` alike, unless they are the whole cluster.
pub fn references_are_missing_only_in_a_complete_folder() {
    let folder = folder(&[("a.yaml", WITHOUT_SERVICES)]);
    let path = folder.path().to_str().expect("a plain name");
    let (code, printed, errors) = run(&["lint", path]);
    assert!(code == Some(0) && !printed.contains("not found"), "{printed}{errors}");
    let (code, printed, errors) = run(&["lint", "--complete", path]);
    assert!(code == Some(0) && printed.contains("[ingress/service-not-found]"), "{printed}{errors}");
    for host in ["ingress.example", "route.example", "proxy.example", "root.example"] {
        let url = format!("http://{host}/");
        let (code, printed, errors) = run(&["explain", &url, "--objects", path]);
        assert!(code == Some(0) && printed.contains(" answers: "), "{printed}{errors}");
        let (code, printed, errors) = run(&["explain", &url, "--objects", path, "--complete"]);
        assert!(code == Some(1) && !printed.contains(" answers: "), "{printed}{errors}");
    }
    let state = |more: &[&str]| run(&[&["status", "--objects", path], more].concat()).1;
    assert!(state(&[]).contains("IngressRoute web/shop: valid"), "{}", state(&[]));
    assert!(state(&["--complete"]).contains("IngressRoute web/shop: invalid"), "{}", state(&["--complete"]));
}

/// The parser looks ahead over any number of comments.
pub fn comments_are_no_fault() {
    let comments = "# a comment\n".repeat(500);
    let shop = ingress("web", "shop", "shop.example.com", "/").replace("spec:\n", &format!("spec:\n{comments}"));
    assert!(shop.contains("# a comment"));
    let folder = folder(&[("a.yaml", &shop)]);
    let (code, printed, errors) = run(&["lint", folder.path().to_str().expect("a plain name")]);
    assert!(code == Some(0) && printed.contains("1 object, "), "{printed}{errors}");
}
