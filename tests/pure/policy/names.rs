//! Which names of other namespaces an author may read.

use super::review_fixture::{Response, Review, SOUND, ingress};

const HIDE: &str = "revealOtherNamespaces: false\n";

fn review(config: &str, host: &str, other: &str) -> Response {
    let object = ingress("web/shop", "", host, "/");
    let rest = if other.is_empty() { String::new() } else { ingress(other, "", "taken.example.com", "/") };
    Review { config, object: &object, rest: &format!("{SOUND}---{rest}"), ..Review::default() }.response()
}

#[test]
fn names_of_other_namespaces_can_be_redacted() {
    let cases = [
        (
            "taken.example.com",
            "path / on taken.example.com is already served by Ingress bank/vault (class nginx) [host/path-conflict]",
            "path / on taken.example.com is already served by an Ingress of another namespace (class nginx) [host/path-conflict]",
        ),
        (
            "*.example.com",
            "wildcard *.example.com also covers taken.example.com of Ingress bank/vault: list your hosts instead [host/wildcard-takes-host]",
            "wildcard *.example.com also covers a host of an Ingress of another namespace: list your hosts instead [host/wildcard-takes-host]",
        ),
    ];
    for (host, revealed, hidden) in cases {
        let assert_denial = |response: &Response, text: &str| {
            let all = [response.denials(), response.warnings()].concat();
            assert!(all.iter().any(|line| line.ends_with(text)), "{text} is not in {all:?}");
        };
        assert_denial(&review("", host, "bank/vault"), revealed);
        let response = review(HIDE, host, "bank/vault");
        assert_denial(&response, hidden);
        let whole = response.0.to_string();
        let shown = whole.replace(host, "");
        assert!(!["bank", "vault", "taken"].iter().any(|name| shown.contains(name)), "{whole}");
    }
}

#[test]
fn own_names_are_never_redacted() {
    let expected = "spec.rules[0].http.paths[0].path: path / on taken.example.com is already served by Ingress web/vault \
                (class nginx) [host/path-conflict]";
    assert_eq!(review(HIDE, "taken.example.com", "web/vault").warnings(), [expected]);
    let second = |name: &str| {
        format!(
            r#"
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {{name: {name}, annotations: {{ingressclass.kubernetes.io/is-default-class: "true"}}}}
spec: {{controller: example.com/a}}
"#
        )
    };
    let response = Review { config: HIDE, object: &second("b"), rest: &second("a"), ..Review::default() }.response();
    let expected = "IngressClass a is already the default: unmark it first [ingress-class/second-default]";
    assert_eq!(response.denials(), [expected], "a class is in no namespace");
}

#[test]
fn owners_can_be_redacted() {
    let owned = "hostOwnership: {hosts: [{host: taken.example.com, namespaces: {names: [bank], labels: {a: b}}}]}\n";
    let cases = [
        (
            "taken.example.com",
            "host taken.example.com belongs to namespace bank and namespaces labeled a=b [host/not-owned]",
        ),
        (
            "*.example.com",
            "host *.example.com covers taken.example.com, which belongs to namespace bank and namespaces labeled a=b [host/not-owned]",
        ),
        (
            "",
            "this claims every host, and taken.example.com belongs to namespace bank and namespaces labeled a=b [host/not-owned]",
        ),
    ];
    for (host, revealed) in cases {
        assert_eq!(review(owned, host, "").denials(), [revealed]);
        let response = review(&format!("{HIDE}{owned}"), host, "");
        let hidden = revealed.replace("namespace bank and namespaces labeled a=b", "others");
        // Hosts that the author wrote are shown, other hosts covered by a wildcard are not.
        let hidden = if host.starts_with("taken") { hidden } else { hidden.replace("taken.example.com", "a host") };
        assert_eq!(response.denials(), [hidden]);
        let whole = response.0.to_string();
        assert!(!whole.contains("bank") && !whole.contains("gold"), "{whole}");
    }
}

/// The status is 422 even if all denials concern tenancy, since kubectl does not print the causes of a 403.
#[test]
fn every_denial_is_invalid() {
    let owned = "hostOwnership: {hosts: [{host: taken.example.com, namespaces: {names: [bank]}}]}\n";
    let status = |config: &str, other: &str| {
        let response = review(config, "taken.example.com", other);
        (response.0["status"]["code"].clone(), response.0["status"]["reason"].clone(), response.denials().len())
    };
    assert_eq!(status(owned, ""), (422.into(), "Invalid".into(), 1));
    assert_eq!(status(owned, "bank/vault"), (422.into(), "Invalid".into(), 2));
    assert_eq!(status(&format!("{owned}themes: {{tenancy: Warn}}\n"), "bank/vault"), (422.into(), "Invalid".into(), 1));
}
