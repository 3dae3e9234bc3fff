//! What a client gets for a request, as a document and as text.

use schemars::JsonSchema;
use serde::Serialize;

use super::document_parts::{Number, Pair, reference};
use crate::explain::{
    BackendShare, Explanation, Failure, Forward, ForwardedRequest, HeaderChanges, ReachedPoint, Reply, Request,
};

/// Why the outcome is not known if something was not read.
const UNREAD: &str = "objects that may answer could not be read";
/// Why the outcome is not known if it depends on the data plane.
const AMBIGUOUS: &str = "several data planes would answer, each with a different outcome";
/// Why nothing answers if no backend can, and no specification says what the client gets instead.
const NO_BACKEND: &str = "no backend can answer";

/// What a client gets for the request.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OutcomeDocument<'r> {
    /// Where the reply comes from.
    kind: OutcomeKind,
    /// The backends (kind `backends`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    backends: Vec<BackendDocument<'r>>,
    /// The status code of a redirect or a response of the proxy; absent if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
    /// Headers of a response of the proxy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    headers: Vec<Pair<'r>>,
    /// The header `Location` of a redirect.
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<&'r str>,
    /// Why the proxy answers, nothing answers, or the outcome is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The request that the backends receive.
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<ForwardedDocument<'r>>,
    /// Changes to the headers of the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    response_headers: Option<HeadersDocument<'r>>,
    /// The backends that get copies of requests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mirrors: Vec<BackendDocument<'r>>,
    /// The timeouts, as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    timeouts: Vec<Pair<'r>>,
    /// If nothing answers, the listeners or hosts that the request reaches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reached: Vec<ReachedDocument<'r>>,
    /// What the objects ask for that is not evaluated, and that may change the outcome.
    not_evaluated: Vec<String>,
}

/// Where a reply comes from.
#[derive(Clone, Copy, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum OutcomeKind {
    /// From backends.
    Backends,
    /// From the proxy, which redirects.
    Redirect,
    /// From the proxy: another response.
    Response,
    /// No rule answers, or no backend can.
    #[default]
    None,
    /// It is not known.
    Unknown,
}

/// A backend.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BackendDocument<'r> {
    /// The kind; absent for a Service.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'r str>,
    /// The namespace.
    namespace: &'r str,
    /// The name.
    service: &'r str,
    /// The number of the port, or its name if the number is not known.
    port: Option<Number<'r>>,
    /// The share of the requests, from 0 to 1.
    share: f64,
    /// The status code that the client gets for this share, if the backend cannot answer and the code is specified.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
    /// Whether the backend may answer; false if it is known to be missing.
    answers: bool,
    /// Changes to the headers of the requests that only this backend receives, after those of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_headers: Option<HeadersDocument<'r>>,
    /// Changes to the headers of the responses of this backend, after those of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    response_headers: Option<HeadersDocument<'r>>,
}

/// A request that backends receive.
#[derive(Serialize, JsonSchema)]
struct ForwardedDocument<'r> {
    /// The path, without the query.
    path: &'r str,
    /// The host.
    host: &'r str,
    /// The headers that were given or are set.
    headers: Vec<Pair<'r>>,
}

/// Changes to headers.
#[derive(Serialize, JsonSchema)]
struct HeadersDocument<'r> {
    /// Headers whose values are replaced.
    set: Vec<Pair<'r>>,
    /// Headers that get an additional value.
    add: Vec<Pair<'r>>,
    /// Headers that are removed.
    remove: &'r [String],
}

/// The last part of a data plane that a request reaches.
#[derive(Serialize, JsonSchema)]
struct ReachedDocument<'r> {
    /// The object, as `Kind/namespace/name`.
    object: String,
    /// The address of the listener or the host.
    field: String,
    /// The status code that the client gets; absent without a response, or if the code is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
    /// Why no rule answers.
    reason: &'r str,
}

impl<'r> OutcomeDocument<'r> {
    /// The outcome of a request. `is_complete` says whether everything that may answer was read.
    pub(super) fn of(answer: &'r Explanation, is_complete: bool) -> Self {
        let unknown =
            |reason: &str| Self { kind: OutcomeKind::Unknown, reason: Some(reason.to_owned()), ..Self::default() };
        match &answer.winner {
            _ if !is_complete => unknown(UNREAD),
            _ if answer.differs => unknown(AMBIGUOUS),
            None => {
                let codes: Vec<Option<u16>> = answer.reached.iter().map(|reached| reached.code).collect();
                let code = codes.first().copied().flatten().filter(|_| codes.iter().all(|code| *code == codes[0]));
                let reached = answer.reached.iter().map(ReachedDocument::of).collect();
                let reason = Some("no rule answers".to_owned());
                Self { kind: OutcomeKind::None, code, reason, reached, ..Self::default() }
            }
            Some((_, winner)) => {
                let not_evaluated = winner.outcome.not_evaluated.iter().map(ToString::to_string).collect();
                Self { not_evaluated, ..Self::of_reply(&winner.outcome.reply) }
            }
        }
    }

    fn of_reply(reply: &'r Reply) -> Self {
        match reply {
            Reply::Forward(forward) if forward.is_answered() => Self::forwarded(forward),
            Reply::Forward(forward) => {
                let code = forward.failure.code();
                let is_response = code.is_some() || forward.failure == Failure::GrpcUnavailable;
                let kind = if is_response { OutcomeKind::Response } else { OutcomeKind::None };
                let reason = Some(format!("{NO_BACKEND}: {}", forward.failure.message()));
                Self { kind, code, reason, ..Self::default() }
            }
            Reply::Redirect { code, location } => {
                Self { kind: OutcomeKind::Redirect, code: Some(*code), location: Some(location), ..Self::default() }
            }
            Reply::Response { code, message, headers } => {
                let (reason, headers) = (Some(message.clone()), Pair::all(headers));
                Self { kind: OutcomeKind::Response, code: *code, reason, headers, ..Self::default() }
            }
            Reply::Unknown(reason) => {
                Self { kind: OutcomeKind::Unknown, reason: Some(reason.clone()), ..Self::default() }
            }
        }
    }

    fn forwarded(forward: &'r Forward) -> Self {
        let code = forward.failure.code();
        Self {
            kind: OutcomeKind::Backends,
            backends: forward.backends.iter().map(|backend| BackendDocument::of(backend, code)).collect(),
            request: Some(ForwardedDocument::of(&forward.request)),
            response_headers: HeadersDocument::unless_empty(&forward.cors_headers, &forward.response_headers),
            mirrors: forward.mirrors.iter().map(|backend| BackendDocument::of(backend, None)).collect(),
            timeouts: forward.timeouts.iter().map(|(name, value)| Pair { name, value }).collect(),
            ..Self::default()
        }
    }
}

impl<'r> BackendDocument<'r> {
    fn of(backend: &'r BackendShare, code: Option<u16>) -> Self {
        Self {
            kind: Some(&*backend.kind).filter(|kind| *kind != "Service"),
            namespace: &backend.namespace,
            service: &backend.name,
            port: backend.port.as_ref().map(Number::of),
            share: backend.share,
            code: code.filter(|_| !backend.may_answer && backend.share > 0.0),
            answers: backend.may_answer,
            request_headers: HeadersDocument::unless_empty(&[], &backend.request_headers),
            response_headers: HeadersDocument::unless_empty(&[], &backend.response_headers),
        }
    }
}

impl<'r> ForwardedDocument<'r> {
    fn of(request: &'r ForwardedRequest) -> Self {
        Self { path: &request.path, host: &request.host, headers: Pair::all(&request.headers) }
    }
}

impl<'r> HeadersDocument<'r> {
    /// Headers that are set first, and then changes; `None` if there are none.
    fn unless_empty(first: &'r [(String, String)], changes: &'r HeaderChanges) -> Option<Self> {
        let set: Vec<Pair<'_>> = Pair::all(first).into_iter().chain(Pair::all(&changes.set)).collect();
        let is_empty = set.is_empty() && changes.is_empty();
        (!is_empty).then(|| Self { set, add: Pair::all(&changes.add), remove: &changes.remove })
    }
}

impl<'r> ReachedDocument<'r> {
    fn of(reached: &'r ReachedPoint) -> Self {
        let (object, field) = (reference(&reached.object), reached.field.to_string());
        Self { object, field, code: reached.code, reason: &reached.reason }
    }
}

/// What the client gets if this is not what the backends answer, as a line.
pub(super) fn headline(reply: &Reply) -> Option<String> {
    match reply {
        Reply::Forward(forward) if forward.is_answered() => None,
        Reply::Forward(forward) => Some(forward.failure.message()),
        Reply::Redirect { code, location } => Some(format!("redirects with {code} to {location}")),
        Reply::Response { code, message, .. } => Some(match code {
            Some(code) if !message.starts_with(&code.to_string()) => format!("{message}: {code}"),
            _ => message.clone(),
        }),
        Reply::Unknown(reason) => Some(reason.clone()),
    }
}

/// The headers of a response of the proxy, each as two columns.
pub(super) fn headers(reply: &Reply) -> Vec<[String; 2]> {
    match reply {
        Reply::Response { headers, .. } => {
            headers.iter().map(|(name, value)| ["response header".to_owned(), format!("{name}: {value}")]).collect()
        }
        Reply::Forward(_) | Reply::Redirect { .. } | Reply::Unknown(_) => Vec::new(),
    }
}

/// What the backends and the client get that differs from what was sent, each as two columns. In the names of backends, the namespace
/// `own` is left out.
pub(super) fn changes(reply: &Reply, request: &Request, own: &str) -> Vec<[String; 2]> {
    let Reply::Forward(forward) = reply else { return Vec::new() };
    let (sent, received) = (&request.headers, &forward.request);
    let mut rows: Vec<[String; 2]> = Vec::new();
    let mut row = |what: &str, value: String| rows.push([what.to_owned(), value]);
    if received.path != request.path {
        row("path", received.path.clone());
    }
    if received.host != request.host {
        row("host", received.host.clone());
    }
    for (name, value) in received.headers.iter().filter(|header| !sent.contains(header)) {
        row("header", format!("{name}: {value}"));
    }
    let is_kept = |name: &String| received.headers.iter().any(|(known, _)| known == name);
    for (name, _) in sent.iter().filter(|(name, _)| !is_kept(name)) {
        row("header", format!("{name} is removed"));
    }
    for (name, value) in &forward.cors_headers {
        row("response header", format!("{name}: {value}"));
    }
    for text in described(&forward.response_headers) {
        row("response header", text);
    }
    for backend in forward.backends.iter().filter(|backend| backend.share > 0.0) {
        let name = backend.label_with_port(own);
        for text in described(&backend.request_headers) {
            row(&format!("header to {name}"), text);
        }
        for text in described(&backend.response_headers) {
            row(&format!("response header from {name}"), text);
        }
    }
    for (name, value) in &forward.timeouts {
        row("timeout", format!("{name} {value}"));
    }
    rows
}

/// What changes to headers do, each as text.
fn described(changes: &HeaderChanges) -> Vec<String> {
    let set = changes.set.iter().map(|(name, value)| format!("{name}: {value}"));
    let added = changes.add.iter().map(|(name, value)| format!("{name}: {value} is added"));
    let removed = changes.remove.iter().map(|name| format!("{name} is removed"));
    set.chain(added).chain(removed).collect()
}

/// The backends that get copies.
pub(super) fn mirrors(reply: &Reply) -> &[BackendShare] {
    match reply {
        Reply::Forward(forward) => &forward.mirrors,
        Reply::Redirect { .. } | Reply::Response { .. } | Reply::Unknown(_) => &[],
    }
}

/// How far a request gets if nothing answers, as a row.
pub(super) fn reached(reached: &ReachedPoint) -> [String; 3] {
    let code = reached.code.map(|code| format!(": {code}")).unwrap_or_default();
    [reached.object.to_string(), reached.field.to_string(), format!("{}{code}", reached.reason)]
}
