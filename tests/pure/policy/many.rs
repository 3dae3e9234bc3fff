//! More findings of one check than are kept. The omitted findings still decide.

use super::asked::{Answer, Review};

/// An Ingress with the paths `/0`, `/1`, ... on its own host, and perhaps one path on a host of another namespace.
fn ingress(object_ref: &str, paths: usize, taken: Option<&str>) -> String {
    let (namespace, name) = object_ref.split_once('/').expect("a place is namespace/name");
    let path = |path: &str| {
        format!("{{path: {path}, pathType: Prefix, backend: {{service: {{name: cart, port: {{number: 80}}}}}}}}")
    };
    let own: Vec<String> = (0..paths).map(|number| path(&format!("/{number}"))).collect();
    let rule = |host: &str, paths: &str| format!("  - {{host: {host}, http: {{paths: [{paths}]}}}}\n");
    let taken = taken.map(|taken| rule("shop.example.com", &path(taken))).unwrap_or_default();
    format!(
        "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{namespace: {namespace}, name: {name}}}\nspec:\n  ingressClassName: nginx\n  rules:\n{}{taken}",
        rule("b.example.com", &own.join(", ")),
    )
}

const MANY: usize = 260;

fn ask(config: &str, object: &str, old: Option<&str>) -> Answer {
    let rest = format!(
        "{}---\n{}",
        ingress("team-b/a", MANY, None),
        ingress("web/shop", 1, Some("/cart")).replace("b.ex", "c.ex")
    );
    Review { config, object, old, rest: &rest, ..Review::default() }.ask()
}

const TAKEN: &str =
    "path /cart on shop.example.com is already served by Ingress web/shop (class nginx) [host/path-conflict]";

const CONFLICTS: &str = "checks: {'*': Off, host/path-conflict: Deny}";

#[test]
fn a_refusal_displaces_a_warning() {
    for paths in [1, 199, 200, 201, MANY] {
        let answer = ask(CONFLICTS, &ingress("team-b/b", paths, Some("/cart")), None);
        assert_eq!(answer.denials(), [TAKEN], "{paths}");
        assert_eq!(
            answer.0["auditAnnotations"]["checks"], "host/path-conflict=Warn,host/path-conflict=Deny",
            "{paths}"
        );
    }
    // Without that path, nothing is denied.
    assert_eq!(ask("", &ingress("team-b/b", MANY, None), None).denials(), [""; 0]);
}

#[test]
fn no_new_fault_hides_among_many_old_ones() {
    let old = ingress("team-b/b", MANY, None);
    for paths in [MANY - 1, MANY - 50, 10] {
        let answer = ask("", &ingress("team-b/b", paths, Some("/cart")), Some(&old));
        assert_eq!(answer.denials(), [TAKEN], "{paths}: as many faults as before or fewer, but another one");
    }
    assert_eq!(ask("", &old, Some(&old)).denials(), [""; 0]);
    let taken = ingress("team-b/b", MANY, Some("/cart"));
    assert_eq!(ask("", &taken, Some(&taken)).denials(), [""; 0], "the object had it before");
}

/// Ratcheting compares each path, even if all paths would be denied.
#[test]
fn old_refusals_beyond_those_that_are_kept_are_forgiven() {
    let config = "checks: {'*': Off, ingress/path-looks-like-regex: Deny}";
    let odd = |object: String| object.replace("path: /", "path: /.*/");
    let [old, new] = [odd(ingress("team-b/b", MANY, None)), odd(ingress("team-b/b", MANY + 1, None))];
    assert_eq!(ask(config, &old, Some(&old)).denials(), [""; 0]);
    let denials = ask(config, &new, Some(&old)).denials().join("\n");
    assert!(denials.contains("/.*/260") && denials.lines().count() == 1, "{denials}");
    assert!(ask(config, &new, None).denials().len() > 1);
}

/// Silencing a warning hides it from the author, but not from the audit annotations.
#[test]
fn an_author_silences_no_audit() {
    let snippet = "nginx.ingress.kubernetes.io/server-snippet: any";
    let object = |ignored: &str| {
        let annotations = format!("name: b, annotations: {{{snippet}, portcullis.dev/ignore: '{ignored}'}}");
        ingress("team-b/b", MANY, None).replace("name: b", &annotations)
    };
    let config = "checks: {'*': Off, host/path-conflict: Deny, ingress/snippet: Warn}";
    let loud = ask(config, &object(""), None);
    assert!(!loud.warnings().is_empty());
    for ignored in ["*", "ingress/snippet,host/*"] {
        let silent = ask(config, &object(ignored), None);
        assert_eq!(silent.warnings(), [""; 0], "{ignored}");
        assert_eq!(silent.0["auditAnnotations"], loud.0["auditAnnotations"], "{ignored}");
    }
}
