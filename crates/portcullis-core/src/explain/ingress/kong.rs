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
use super::super::route_resolver::Condition;
use super::Ingresses;
use crate::kinds::{Entries, Ingress};
use crate::matching::compile::Reach;
use crate::matching::kong_fields::{EXPRESSION, HEADERS, METHODS, REGEX_PREFIX, SNIS, allows_name};
use crate::matching::pattern::Pattern;
use crate::matching::predicate::{PartAt, TextPart, TextTest, ValueTest};
use crate::matching::rule_order::RuleOrder;
use crate::matching::{Host, PathTest, PathType};

const STRIP_PATH: &str = "konghq.com/strip-path";
const HEADERS_SEPARATOR: &str = "konghq.com/headers-separator";
const PROTOCOLS: &str = "konghq.com/protocols";
const REDIRECT_CODE: &str = "konghq.com/https-redirect-status-code";

/// The status codes with which plain HTTP is redirected to HTTPS; with others, it is refused with 426.
const REDIRECT_CODES: [&str; 4] = ["301", "302", "307", "308"];

/// The text that makes a path of type `ImplementationSpecific` an expression.
pub(in crate::explain) fn expression_prefix<'i>(ingress: &'i Ingress<'_>) -> &'i str {
    ingress.metadata.annotations.get(REGEX_PREFIX).map_or(EXPRESSION, |prefix| &**prefix)
}

/// Whether the answer to `request` evaluates the annotation `key`. A route for plain HTTP alone may answer HTTPS, too.
pub(in crate::explain) fn evaluates(key: &str, annotations: &Entries<'_>, request: &Request) -> bool {
    match key {
        REGEX_PREFIX | STRIP_PATH | REDIRECT_CODE | METHODS | SNIS => true,
        key if key.starts_with(HEADERS) => true,
        PROTOCOLS => !request.is_secure || protocols(annotations).any(|name| name == "https"),
        _ => false,
    }
}

fn protocols<'e>(annotations: &'e Entries<'_>) -> impl Iterator<Item = &'e str> {
    let list = annotations.get(PROTOCOLS).map_or("", |list| &**list);
    list.split(',').map(str::trim).filter(|name| !name.is_empty())
}

/// The required headers, each with the values of which one must be sent.
fn headers<'e>(annotations: &'e Entries<'_>) -> impl Iterator<Item = (&'e str, Vec<&'e str>)> {
    let separator = annotations.get(HEADERS_SEPARATOR).map_or(",", |separator| &**separator);
    let named = annotations.iter().filter_map(|(key, value)| Some((key.strip_prefix(HEADERS)?, value)));
    let written = named.filter(|(name, value)| !name.is_empty() && !value.is_empty());
    written.map(move |(name, value)| (name, value.split(separator).map(str::trim).collect()))
}

/// The test of one header, which must have one of the `values`. Case is ignored.
fn header_test<'e>(name: &'e str, values: &[&'e str]) -> ValueTest<'e> {
    let test = |value: &'e str| match value.strip_prefix("~*") {
        Some(expression) => TextTest::Matches(Pattern::reaching(expression, Reach::Anywhere(true))),
        None => TextTest::Has(TextPart { at: PartAt::Whole, text: value, folds_case: true }),
    };
    ValueTest::new(name.to_ascii_lowercase().into(), TextTest::OneOf(values.iter().copied().map(test).collect()))
}

/// The entries of a list in an annotation.
fn list<'e>(annotations: &'e Entries<'_>, key: &str) -> Vec<&'e str> {
    let written = annotations.get(key).map(|list| &**list).filter(|list| !list.is_empty());
    written.into_iter().flat_map(|list| list.split(',')).collect()
}

/// The first condition of the annotations beside host and path that the request does not meet, as text.
pub(super) fn unmet(annotations: &Entries<'_>, request: &Request) -> Option<String> {
    let methods = list(annotations, METHODS);
    let is_own = |method: &&str| method.trim().eq_ignore_ascii_case(&request.method);
    if !methods.is_empty() && !methods.iter().any(is_own) {
        return Some(format!("method {}", methods.join(" or ")));
    }
    if request.is_secure && !allows_name(annotations, request.sni.as_deref().unwrap_or_default()) {
        return Some(format!("name of TLS {}", list(annotations, SNIS).join(" or ")));
    }
    let mut headers = headers(annotations).filter(|(name, _)| !name.eq_ignore_ascii_case("host"));
    let is_met = |(name, values): &(&str, Vec<&str>)| header_test(name, values).matches(&request.headers);
    headers.find(|header| !is_met(header)).map(|(name, values)| format!("header {name}: {}", values.join(" or ")))
}

/// What the annotations distinguish among the requests that the rule of `candidate` matches: one element for each method.
pub(super) fn conditions<'s>(annotations: &'s Entries<'_>, candidate: &'s Candidate<'_>) -> Vec<Condition<'s>> {
    let headers: Vec<_> = headers(annotations).map(|(name, values)| header_test(name, &values)).collect();
    let mut methods: Vec<_> = list(annotations, METHODS).into_iter().map(Some).collect();
    if methods.is_empty() && !headers.is_empty() {
        methods.push(None);
    }
    let of_method = |method| Condition { method, headers: headers.clone().into(), ..Condition::of(candidate) };
    methods.into_iter().map(of_method).collect()
}

impl Ingresses<'_> {
    /// The rules of which the request meets the conditions of annotations, and the others, each with why not.
    pub(super) fn split_met(
        &self,
        ranks: &[Vec<usize>; 3],
        request: &Request,
    ) -> ([Vec<usize>; 3], Vec<(usize, String)>) {
        let mut others = Vec::new();
        let met = ranks.each_ref().map(|rules| {
            let is_met = |rule: &usize| {
                let annotations = &self.sources[self.rules[*rule].source].ingress.metadata.annotations;
                let unmet = unmet(annotations, request);
                others.extend(unmet.as_ref().map(|why| (*rule, why.clone())));
                unmet.is_none()
            };
            rules.iter().copied().filter(is_met).collect()
        });
        (met, others)
    }

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
                    _ => {
                        let message = "requires HTTPS".to_owned();
                        Reply::Response { code: Some(426), message, headers: Vec::new() }
                    }
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
        let is_ordered = |other: usize| {
            let both = self.ordered_rule(chosen).zip(self.ordered_rule(other));
            both.is_some_and(|(one, second)| one.is_before(&second, RuleOrder::Fields).is_some())
        };
        let is_unordered = |other: usize| {
            is_expression(chosen)
                || is_expression(other)
                || is_whole(chosen) && is_whole(other)
                || self.has_same_path(chosen, other)
                || is_wildcard(chosen) && is_wildcard(other) && self.rules[chosen].host != self.rules[other].host
        };
        self.unordered(chosen, own, request, |other| is_other(other) && is_unordered(other) && !is_ordered(other))
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
