//! Reads a denial that a user pastes: a message of kubectl, an audit annotation, or a line of the log of the webhook.

use std::sync::LazyLock;

use regex::Regex;

use crate::checks::registry;
use crate::kinds::{Kind, KindSet};

/// What a text says about a write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Denial {
    /// The ids of the checks that it names, each once, in order.
    pub checks: Vec<&'static str>,
    /// The kind of the object.
    pub kind: Option<Kind>,
    /// The namespace of the object. Messages of kubectl do not contain it.
    pub namespace: Option<String>,
    /// The user who made the write.
    pub user: Option<String>,
    /// Whether a webhook of Portcullis did not answer.
    pub is_unanswered: bool,
    /// Whether the text is one warning, or several.
    pub is_warning: bool,
}

/// Matches the name of a webhook of Portcullis that did not answer.
static UNANSWERED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"failed (?:calling|to call) webhook:? "[a-z0-9.-]+\.portcullis\.dev""#));
/// Matches an id of a check, or another text of its form.
static ID: LazyLock<Regex> = LazyLock::new(|| pattern(r"[a-z0-9]+(?:-[a-z0-9]+)*/[a-z0-9]+(?:-[a-z0-9]+)*"));
/// Matches the kind in a message of kubectl or of an API server.
static REFUSED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?:The |"?)([A-Za-z]+)(?:\.[a-z0-9.-]+)? "[^"]+" is invalid"#));
/// Matches the object in a line of the log, as JSON or as text: the kind, and the namespace unless it has none.
static OBJECT: LazyLock<Regex> = LazyLock::new(|| pattern(r#"\bobject"?[=:] ?"?([A-Za-z]+) (?:([a-z0-9-]+)/)?"#));
/// Matches the user in a line of the log.
static USER: LazyLock<Regex> = LazyLock::new(|| pattern(r#"\buser"?[=:] ?"([^"]+)""#));

fn pattern(written: &str) -> Regex {
    Regex::new(written).expect("the pattern is fixed")
}

impl Denial {
    /// Reads what `text` says.
    pub fn read(text: &str) -> Self {
        let mut checks = Vec::new();
        for id in ID.find_iter(text) {
            if let Some(check) = registry::find(id.as_str())
                && !checks.contains(&check.id)
            {
                checks.push(check.id);
            }
        }
        let object = OBJECT.captures(text);
        let part = |number| object.as_ref().and_then(|object| object.get(number)).map(|part| part.as_str());
        let refused = || REFUSED.captures(text).and_then(|refused| refused.get(1)).map(|kind| kind.as_str());
        let is_unanswered = UNANSWERED.is_match(text);
        let user = USER.captures(text).and_then(|user| user.get(1)).map(|user| user.as_str().to_owned());
        Self {
            checks,
            kind: part(1).or_else(refused).and_then(kind_named),
            namespace: part(2).map(str::to_owned),
            user,
            is_unanswered,
            is_warning: text.trim_start().starts_with("Warning: ") && !REFUSED.is_match(text) && !is_unanswered,
        }
    }
}

fn kind_named(name: &str) -> Option<Kind> {
    KindSet::VALIDATED.iter().find(|kind| kind.api().kind == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_kubectl_names_kind_and_checks() {
        let text = "The Ingress \"two\" is invalid: \n* spec.rules[0].http.paths[0].path: path /cart on shop.example.com is already \
                    served by Ingress web/shop (class public) [host/path-conflict]\n* spec.rules[0].http.paths[2].path: `/a\"b` must \
                    not contain `\"` [ingress/path-unsafe-character]\n";
        let expected = ["host/path-conflict", "ingress/path-unsafe-character"];
        let read = Denial::read(text);
        assert_eq!((&*read.checks, read.kind, read.namespace), (&expected[..], Some(Kind::Ingress), None));
        let of_group = Denial::read(r#"HTTPRoute.gateway.networking.k8s.io "a" is invalid: x [host/not-owned]"#);
        assert_eq!((&*of_group.checks, of_group.kind), (&["host/not-owned"][..], Some(Kind::HttpRoute)));
    }

    #[test]
    fn a_line_of_the_log_names_the_whole_write() {
        let json = r#"{"level":"INFO","fields":{"message":"denied","uid":"1","object":"Ingress search/take","user":"admin","checks":"host/not-owned,host/path-conflict"}}"#;
        let text = r#"INFO denied uid="1" object="Ingress search/take" user="admin" checks="host/not-owned,host/path-conflict""#;
        for line in [json, text] {
            let expected = Denial {
                checks: vec!["host/not-owned", "host/path-conflict"],
                kind: Some(Kind::Ingress),
                namespace: Some("search".to_owned()),
                user: Some("admin".to_owned()),
                ..Denial::default()
            };
            assert_eq!(Denial::read(line), expected, "{line}");
        }
        let class = Denial::read(r#"object="GatewayClass edge" checks="gateway-class/second-default""#);
        assert_eq!((class.kind, class.namespace), (Some(Kind::GatewayClass), None));
    }

    #[test]
    fn a_webhook_that_does_not_answer_and_a_warning_are_no_denials() {
        let text = r#"Internal error occurred: failed calling webhook "ingresses.portcullis.dev": failed to call webhook: Post "https://portcullis": EOF"#;
        assert_eq!(Denial::read(text), Denial { is_unanswered: true, ..Denial::default() });
        assert!(!Denial::read(r#"failed calling webhook "validate.nginx.ingress.kubernetes.io": EOF"#).is_unanswered);
        let warning = "Warning: spec.rules[0]: Service web/shop not found [ingress/service-not-found]\n";
        assert!(Denial::read(warning).is_warning);
        let denied = format!("{warning}The Ingress \"a\" is invalid: spec: x [host/path-conflict]");
        assert!(!Denial::read(&denied).is_warning);
        let both = Denial::read(&format!("{warning}Error from server (InternalError): {text}"));
        assert!(both.is_unanswered && !both.is_warning && !both.checks.is_empty(), "{both:?}");
    }

    #[test]
    fn an_audit_annotation_names_checks() {
        let annotation =
            r#""validate.portcullis.dev/checks": "host/path-conflict=Deny,ingress/service-not-found=Warn""#;
        assert_eq!(Denial::read(annotation).checks, ["host/path-conflict", "ingress/service-not-found"]);
        assert_eq!(Denial::read("admission webhook \"a/b\" denied the request"), Denial::default());
    }
}
