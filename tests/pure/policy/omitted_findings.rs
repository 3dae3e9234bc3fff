//! More findings of one check than are kept. The omitted findings still decide.

use super::review_fixture::{Response, Review};

/// An Ingress with the paths `/0`, `/1`, ... on its own host, and perhaps one path on a host of another namespace.
fn ingress(object_ref: &str, paths: usize, conflicting: Option<&str>) -> String {
    let (namespace, name) = object_ref.split_once('/').expect("a place is namespace/name");
    let path = |path: &str| {
        format!("{{path: {path}, pathType: Prefix, backend: {{service: {{name: cart, port: {{number: 80}}}}}}}}")
    };
    let own: Vec<String> = (0..paths).map(|number| path(&format!("/{number}"))).collect();
    let rule = |host: &str, paths: &str| format!("  - {{host: {host}, http: {{paths: [{paths}]}}}}\n");
    let conflicting = conflicting.map(|conflicting| rule("shop.example.com", &path(conflicting))).unwrap_or_default();
    format!(
        "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{namespace: {namespace}, name: {name}}}\nspec:\n  ingressClassName: nginx\n  rules:\n{}{conflicting}",
        rule("b.example.com", &own.join(", ")),
    )
}

const MANY: usize = 260;

fn review(config: &str, object: &str, old: Option<&str>) -> Response {
    let rest = format!(
        "{}---\n{}",
        ingress("team-b/a", MANY, None),
        ingress("web/shop", 1, Some("/cart")).replace("b.ex", "c.ex")
    );
    Review { config, object, old, rest: &rest, ..Review::default() }.response()
}

const TAKEN: &str =
    "path /cart on shop.example.com is already served by Ingress web/shop (class nginx) [host/path-conflict]";

const CONFLICTS: &str = "checks: {'*': Off, host/path-conflict: Deny}";

#[test]
fn a_refusal_displaces_a_warning() {
    for paths in [1, 199, 200, 201, MANY] {
        let response = review(CONFLICTS, &ingress("team-b/b", paths, Some("/cart")), None);
        assert_eq!(response.denials(), [TAKEN], "{paths}");
        assert_eq!(
            response.0["auditAnnotations"]["checks"], "host/path-conflict=Warn,host/path-conflict=Deny",
            "{paths}"
        );
    }
    // Without that path, nothing is denied.
    assert_eq!(review("", &ingress("team-b/b", MANY, None), None).denials(), [""; 0]);
}

#[test]
fn new_fault_is_denied_among_many_preexisting_ones() {
    let old = ingress("team-b/b", MANY, None);
    for paths in [MANY - 1, MANY - 50, 10] {
        let response = review("", &ingress("team-b/b", paths, Some("/cart")), Some(&old));
        assert_eq!(response.denials(), [TAKEN], "{paths}: as many faults as before or fewer, but another one");
    }
    assert_eq!(review("", &old, Some(&old)).denials(), [""; 0]);
    let conflicting = ingress("team-b/b", MANY, Some("/cart"));
    assert_eq!(review("", &conflicting, Some(&conflicting)).denials(), [""; 0], "the object had it before");
}

/// Ratcheting compares each path, even if all paths would be denied.
#[test]
fn omitted_preexisting_findings_do_not_deny() {
    let config = "checks: {'*': Off, ingress/path-looks-like-regex: Deny}";
    let odd = |object: String| object.replace("path: /", "path: /.*/");
    let [old, new] = [odd(ingress("team-b/b", MANY, None)), odd(ingress("team-b/b", MANY + 1, None))];
    assert_eq!(review(config, &old, Some(&old)).denials(), [""; 0]);
    let denials = review(config, &new, Some(&old)).denials().join("\n");
    assert!(denials.contains("/.*/260") && denials.lines().count() == 1, "{denials}");
    assert!(review(config, &new, None).denials().len() > 1);
}

/// Silencing a warning hides it from the author, but not from the audit annotations.
#[test]
fn author_cannot_suppress_audit_findings() {
    let snippet = "nginx.ingress.kubernetes.io/server-snippet: any";
    let object = |ignored: &str| {
        let annotations = format!("name: b, annotations: {{{snippet}, portcullis.dev/ignore: '{ignored}'}}");
        ingress("team-b/b", MANY, None).replace("name: b", &annotations)
    };
    let config = "checks: {'*': Off, host/path-conflict: Deny, ingress/snippet: Warn}";
    let loud = review(config, &object(""), None);
    assert!(!loud.warnings().is_empty());
    for ignored in ["*", "ingress/snippet,host/*"] {
        let silent = review(config, &object(ignored), None);
        assert_eq!(silent.warnings(), [""; 0], "{ignored}");
        assert_eq!(silent.0["auditAnnotations"], loud.0["auditAnnotations"], "{ignored}");
    }
}
