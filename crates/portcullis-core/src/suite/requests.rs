//! Requests, and which answers the objects of the cluster must give.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use schemars::JsonSchema;
use serde::Deserialize;

use super::answers::{label, mismatches, outcome};
use super::expected::ExpectedAnswer;
use crate::config::{ConfigError, Spanned};
use crate::explain::{BackendShare, Explanation, Reply, Request, Scope, Snapshot};
use crate::field::FieldPath;
use crate::kinds::{Kind, ObjectRef};
use crate::names::closest;

/// A rule: the object with its field.
pub type Rule = (ObjectRef, FieldPath);

/// One request, and what is expected of the answer.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RequestCase {
    /// The name of the case.
    pub name: Spanned<String>,
    /// The URL, such as `https://shop.example.com/cart`, with the method in front unless it is GET.
    pub request: Spanned<String>,
    /// The headers; `host` overrides the host of the URL.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The address of the client; without one, it is not known.
    #[serde(default)]
    pub client: Option<Spanned<String>>,
    /// The Gateway that gets the request, as namespace/name. Without a Gateway and a class, every data plane may get it.
    #[serde(default)]
    pub gateway: Option<Spanned<String>>,
    /// The class of the Ingresses, HTTPProxies or IngressRoutes that get the request.
    #[serde(default)]
    pub class: Option<Spanned<String>>,
    /// What is expected; at least one of these.
    pub expect: ExpectedAnswer,
}

impl RequestCase {
    /// The request, and the data planes that may get it. Fails at the position of what is malformed.
    pub fn question(&self) -> Result<(Request, Scope), ConfigError> {
        let mut words = self.request.split_whitespace();
        let (method, url) = match (words.next(), words.next(), words.next()) {
            (Some(url), None, None) => ("GET", url),
            (Some(method), Some(url), None) => (method, url),
            _ => {
                return Err(self
                    .request
                    .error("use a URL, or a method and a URL, such as GET https://shop.example.com/"));
            }
        };
        let headers: Vec<String> = self.headers.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let request = Request::parse(method, url, &headers, None, None);
        let request = request.map_err(|error| self.request.error(error.to_string()))?;
        let address = |written: &Spanned<String>| {
            let parsed = written.parse::<IpAddr>();
            parsed.map_err(|_| written.error(format!("`{}` is not an IP address", written.value)))
        };
        let client = self.client.as_ref().map(address).transpose()?;
        let gateway = self.gateway.as_ref().map(gateway).transpose()?;
        let class = self.class.as_ref().map(|class| class.value.clone());
        Ok((Request { client, ..request }, Scope { class, gateway }))
    }

    /// What is wrong with the case itself.
    pub(super) fn errors(&self) -> Vec<ConfigError> {
        let mut errors: Vec<ConfigError> = self.question().err().into_iter().collect();
        if let (Some(_), Some(class)) = (&self.gateway, &self.class) {
            errors.push(class.error("`class` and `gateway` are two data planes: set one of them"));
        }
        errors.extend(self.expect.object.as_ref().and_then(object_error));
        errors.extend(self.expect.service.as_ref().filter(|service| !is_service(service)).map(|service| {
            service.error(format!("`{}` is not a Service: use namespace/name or namespace/name:port", service.value))
        }));
        if self.expect.is_empty() {
            let fields = "`object`, `service`, `path`, `code`, `location` or `answered`";
            errors.push(self.name.error(format!("the request expects nothing: set {fields}")));
        }
        errors
    }

    /// How the answer differs from what is expected, as text. `missing` lists what could not be read and may change an answer.
    pub fn run(&self, snapshot: &Snapshot<'_>, missing: impl Fn(&Explanation, &Scope) -> Vec<String>) -> Vec<String> {
        let (request, scope) = match self.question() {
            Ok(question) => question,
            Err(error) => return vec![error.to_string()],
        };
        let unknown = snapshot.unknown_in(&scope);
        if !unknown.is_empty() {
            return unknown;
        }
        let answer = snapshot.ask(&request, &scope);
        let mut missing = missing(&answer, &scope);
        missing.extend(snapshot.undecided_for(&request, &scope));
        if !missing.is_empty() {
            return missing.into_iter().map(|what| format!("not decided, because it is not read: {what}")).collect();
        }
        // Data planes may give the same answer by different objects.
        let objects = || {
            let answers = snapshot.answers(&request, &scope).into_iter();
            let objects = answers.filter_map(|answer| Some(answer.winner?.object));
            objects.collect::<BTreeSet<ObjectRef>>().len()
        };
        if answer.differs || answer.is_ambiguous() && self.expect.object.is_some() && objects() > 1 {
            let planes: Vec<&str> = answer.answering.iter().map(|plane| plane.name.as_str()).collect();
            let planes = planes.join(", ");
            return vec![format!(
                "not decided, because several data planes answer: set `gateway` or `class` ({planes})"
            )];
        }
        mismatches(&self.expect, &answer)
    }

    /// The rules that answer the request, one of each data plane that may get it.
    pub fn rules(&self, snapshot: &Snapshot<'_>) -> Vec<Rule> {
        let Ok((request, scope)) = self.question() else { return Vec::new() };
        let answers = snapshot.answers(&request, &scope).into_iter();
        answers.filter_map(|answer| answer.winner).map(|winner| (winner.object, winner.field)).collect()
    }

    /// A case that expects this answer to a request in a scope, as far as it is certain. Fails with the reason if it is not known.
    pub(super) fn of(name: String, answer: &Explanation, scope: &Scope) -> Result<Self, String> {
        let Request { method, headers, .. } = &answer.request;
        let own = |text: String| Spanned::without_position(text);
        let gateway = scope.gateway.as_ref().map(|gateway| own(format!("{}/{}", gateway.namespace, gateway.name)));
        Ok(Self {
            name: own(name),
            request: own(format!("{method} {}", answer.request.url())),
            headers: headers.iter().cloned().collect(),
            client: None,
            gateway,
            class: scope.class.clone().map(own),
            expect: expected(answer)?,
        })
    }
}

/// What is certain of an answer.
fn expected(answer: &Explanation) -> Result<ExpectedAnswer, String> {
    let Some((_, winner)) = &answer.winner else { return Err(outcome(answer)) };
    let mut expected = ExpectedAnswer::default();
    let object = &winner.object;
    let written = format!("{}/{}/{}", object.kind.label(), object.namespace, object.name);
    expected.object = Some(Spanned::without_position(written));
    // What is not evaluated may change what the backend receives.
    let is_whole = winner.outcome.not_evaluated.is_empty();
    match &winner.outcome.reply {
        Reply::Unknown(why) => return Err(why.clone()),
        Reply::Forward(forward) if forward.is_answered() => {
            let serves = |backend: &&BackendShare| backend.may_answer && backend.kind == "Service";
            let largest = forward
                .backends
                .iter()
                .filter(serves)
                .reduce(|first, next| if next.share > first.share { next } else { first });
            expected.service = largest.filter(|one| one.share > 0.0).map(|one| Spanned::without_position(label(one)));
            expected.path = is_whole.then(|| forward.request.path.clone());
        }
        // A fault is not what should be expected of it.
        Reply::Forward(_) => return Err(outcome(answer)),
        Reply::Redirect { code, location } => {
            (expected.code, expected.location) = (Some(*code), Some(location.clone()));
        }
        Reply::Response { code, .. } => expected.code = *code,
    }
    Ok(expected)
}

/// The Gateway that is written as namespace/name.
fn gateway(written: &Spanned<String>) -> Result<ObjectRef, ConfigError> {
    match written.split_once('/') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() && !name.contains('/') => {
            Ok(ObjectRef::new(Kind::Gateway, namespace, name))
        }
        _ => Err(written.error(format!("`{}` is not a Gateway: use namespace/name", written.value))),
    }
}

/// Why this is not the name of an object with rules.
fn object_error(written: &Spanned<String>) -> Option<ConfigError> {
    let parts: Vec<&str> = written.split('/').collect();
    let [kind, namespace, name] = parts.as_slice() else {
        return Some(written.error(format!("`{}` is not an object: use kind/namespace/name", written.value)));
    };
    if namespace.is_empty() || name.is_empty() {
        return Some(written.error(format!("`{}` is not an object: use kind/namespace/name", written.value)));
    }
    let kinds = || Kind::ALL.into_iter().map(Kind::label);
    if kinds().any(|known| known == *kind) {
        return None;
    }
    let hint = closest(kind, kinds()).map_or_else(String::new, |known| format!("; did you mean `{known}`?"));
    Some(written.error(format!("unknown kind `{kind}`{hint}")))
}

fn is_service(written: &str) -> bool {
    let (service, port) = written.split_once(':').map_or((written, "80"), |(service, port)| (service, port));
    let is_name = |(namespace, name): (&str, &str)| !namespace.is_empty() && !name.is_empty() && !name.contains('/');
    service.split_once('/').is_some_and(is_name) && !port.is_empty()
}
