//! What Kong does with requests for Ingresses that the API does not specify (internal/dataplane/translator/subtranslator of its
//! controller, and `router` and `runloop/handler.lua` of Kong).

use std::collections::BTreeSet;

use super::super::answer::Winner;
use super::super::candidate::Candidate;
use super::super::ingress_rules::HostRule;
use super::super::outcome::Reply;
use super::super::request::Request;
use super::super::rewriting::{PathRewrite, with_prefix_replaced};
use super::super::route_action;
use super::Ingresses;
use crate::kinds::{Entries, Ingress};
use crate::matching::{Host, PathTest, PathType};

/// The beginning of a path of type `ImplementationSpecific` that is an expression.
const EXPRESSION: &str = "/~";
const EXPRESSION_PREFIX: &str = "konghq.com/regex-prefix";
const STRIP_PATH: &str = "konghq.com/strip-path";
const PROTOCOLS: &str = "konghq.com/protocols";
const REDIRECT_CODE: &str = "konghq.com/https-redirect-status-code";

/// The status codes with which plain HTTP is redirected to HTTPS; with others, it is refused with 426.
const REDIRECT_CODES: [&str; 4] = ["301", "302", "307", "308"];

/// The text that makes a path of type `ImplementationSpecific` an expression.
pub(in crate::explain) fn expression_prefix<'i>(ingress: &'i Ingress<'_>) -> &'i str {
    ingress.metadata.annotations.get(EXPRESSION_PREFIX).map_or(EXPRESSION, |prefix| &**prefix)
}

/// Whether the answer to `request` evaluates the annotation `key`. A route for plain HTTP alone may answer HTTPS, too.
pub(in crate::explain) fn evaluates(key: &str, annotations: &Entries<'_>, request: &Request) -> bool {
    match key {
        EXPRESSION_PREFIX | STRIP_PATH | REDIRECT_CODE => true,
        PROTOCOLS => !request.is_secure || protocols(annotations).any(|name| name == "https"),
        _ => false,
    }
}

fn protocols<'e>(annotations: &'e Entries<'_>) -> impl Iterator<Item = &'e str> {
    let list = annotations.get(PROTOCOLS).map_or("", |list| &**list);
    list.split(',').map(str::trim).filter(|name| !name.is_empty())
}

impl Ingresses<'_> {
    /// Changes the answer of the `chosen` rule among `own` into that of Kong.
    pub(super) fn apply_kong(&self, winner: &mut Winner, chosen: usize, own: &[usize], request: &Request) {
        let rule = &self.rules[chosen];
        let annotations = &self.sources[rule.source].ingress.metadata.annotations;
        if let Some(other) = self.unordered_in_kong(chosen, own, request) {
            winner.outcome.reply = Reply::Unknown(other);
            return;
        }
        let has = |wanted: &str| protocols(annotations).any(|name| name == wanted);
        if !request.is_secure && has("https") && !has("http") {
            let code = annotations.get(REDIRECT_CODE).map_or("", |code| &**code);
            winner.outcome.reply =
                match (REDIRECT_CODES.contains(&code), code.parse(), route_action::secured(request).0) {
                    (true, Ok(code), Reply::Redirect { location, .. }) => Reply::Redirect { code, location },
                    _ => Reply::Response { code: Some(426), message: "requires HTTPS".to_owned() },
                };
            return;
        }
        if annotations.get(STRIP_PATH).is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            strip(winner, &rule.candidate, &request.path);
        }
    }

    /// Why it is not known which rule Kong tries first: of routes with the same path, and of expressions, it depends on when they were
    /// written.
    fn unordered_in_kong(&self, chosen: usize, own: &[usize], request: &Request) -> Option<String> {
        let is_expression = |rule: usize| {
            let HostRule { source, candidate, .. } = &self.rules[rule];
            let prefix = expression_prefix(self.sources[*source].ingress);
            matches!(candidate.path, PathTest::Pattern(_)) && candidate.spelling.starts_with(prefix)
        };
        // A path that must match as a whole is an expression for Kong, also the end of a `Prefix`.
        let is_whole = |rule: usize| match &self.rules[rule].candidate.path {
            PathTest::Path(path) => path.kind == PathType::Exact || *path.text == *request.path,
            path => matches!(path, PathTest::Pattern(_)),
        };
        let is_wildcard = |rule: usize| matches!(self.rules[rule].host, Host::Wildcard(_));
        // The same backend may get other requests.
        let asked = |rule: usize| {
            let annotations = self.sources[self.rules[rule].source].ingress.metadata.annotations.iter();
            let own = annotations.filter(|(key, _)| key.starts_with("konghq.com/"));
            own.map(|(key, value)| (key.to_owned(), value.to_owned())).collect::<BTreeSet<_>>()
        };
        let is_other = |other: usize| self.has_other_backend(chosen, other) || asked(chosen) != asked(other);
        let is_unordered = |other: usize| {
            is_expression(chosen)
                || is_expression(other)
                || is_whole(chosen) && is_whole(other)
                || self.has_same_path(chosen, other)
                || is_wildcard(chosen) && is_wildcard(other) && self.rules[chosen].host != self.rules[other].host
        };
        self.unordered(chosen, own, request, |other| is_other(other) && is_unordered(other))
    }
}

/// Removes the beginning of the path that the rule matches.
fn strip(winner: &mut Winner, candidate: &Candidate<'_>, path: &str) {
    let Reply::Forward(forward) = &mut winner.outcome.reply else { return };
    let (stripped, rewrite) = match &candidate.path {
        PathTest::Path(own) if own.kind == PathType::Exact => ("/".to_owned(), PathRewrite::Constant("/".to_owned())),
        PathTest::Path(own) if own.text == "/" => return,
        PathTest::Path(own) => (with_prefix_replaced(path, &own.text, "/"), PathRewrite::of_prefix(&own.text, "/")),
        PathTest::Begins(text) if text == "/" => return,
        PathTest::Begins(text) => {
            let rest = path.strip_prefix(&**text).unwrap_or(path).trim_start_matches('/');
            (format!("/{rest}"), PathRewrite::of_text(text, "/"))
        }
        PathTest::All => return,
        PathTest::Pattern(_) | PathTest::Call(_) | PathTest::Unknown(_) => {
            winner.outcome.reply = Reply::Unknown(format!("{STRIP_PATH} removes what an expression matches"));
            return;
        }
    };
    forward.request.rewrite(stripped, rewrite);
}
