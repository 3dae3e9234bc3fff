//! What a client gets for a request, and what a backend receives, as values.

use super::not_evaluated::NotEvaluated;
use super::request::Request;
use super::rewriting::PathRewrite;

/// What the rule that answers a request does.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestOutcome {
    /// The reply to the client.
    pub reply: Reply,
    /// What the objects ask for that explain does not evaluate.
    pub not_evaluated: Vec<NotEvaluated>,
    /// What is evaluated, and leads to other replies to requests with other headers. `compare` compares it as written.
    pub by_origin: Vec<NotEvaluated>,
}

/// Where the reply to a request comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// From backends.
    Forward(Box<Forward>),
    /// From the proxy: a redirect.
    Redirect {
        /// The status code.
        code: u16,
        /// The value of the header `Location`.
        location: String,
    },
    /// From the proxy: another response.
    Response {
        /// The status code; `None` if it is not known.
        code: Option<u16>,
        /// What the proxy does, as text.
        message: String,
        /// Headers of the response. Names are in lower case.
        headers: Vec<(String, String)>,
    },
    /// Not known; the text says why.
    Unknown(String),
}

/// A request that is forwarded.
#[derive(Debug, Clone, PartialEq)]
pub struct Forward {
    /// The backends of the rule; only those that may answer do.
    pub backends: Vec<BackendShare>,
    /// What the client gets instead of an answer of a backend that cannot answer.
    pub failure: Failure,
    /// The request that the backends receive.
    pub request: ForwardedRequest,
    /// The headers that the filter CORS sets on the response, before the other changes. Names are in lower case.
    pub cors_headers: Vec<(String, String)>,
    /// Changes to the headers of the response.
    pub response_headers: HeaderChanges,
    /// The backends that get copies, each with the share of the requests that are copied.
    pub mirrors: Vec<BackendShare>,
    /// The timeouts, each with its name in the API and its value as written.
    pub timeouts: Vec<(&'static str, String)>,
}

/// A backend with its share of the requests.
#[derive(Debug, Clone, PartialEq)]
pub struct BackendShare {
    /// The kind, such as `Service`.
    pub kind: String,
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The port.
    pub port: Option<Port>,
    /// The share of requests, from 0 to 1.
    pub share: f64,
    /// Whether it may answer them; false for a Service that is known not to exist, or not to have the port.
    pub may_answer: bool,
    /// Changes to the headers of the requests that only it receives, after those of the rule.
    pub request_headers: HeaderChanges,
    /// Changes to the headers of its responses, after those of the rule.
    pub response_headers: HeaderChanges,
}

/// The port of a backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Port {
    /// A port number.
    Number(i64),
    /// A port name that could not be resolved to a number.
    Name(String),
}

/// What a client gets if no backend can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// A response with this status code.
    Code(u16),
    /// The gRPC status UNAVAILABLE (14).
    GrpcUnavailable,
    /// Nothing: the connection is closed.
    Closed,
    /// It is up to the controller.
    Unspecified,
}

/// The request that a backend receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForwardedRequest {
    /// The path, without the query.
    pub path: String,
    /// How the rule changes the path.
    pub rewrite: PathRewrite,
    /// The host.
    pub host: String,
    /// The headers. Names are in lower case, and values of the same name are joined by a comma.
    pub headers: Vec<(String, String)>,
    /// What the rule does to headers, whether the request has them or not.
    pub changes: HeaderChanges,
}

/// The name of the header with which browsers are told to use TLS only (RFC 6797).
pub const TRANSPORT_SECURITY: &str = "strict-transport-security";

/// Changes to headers. Names are in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeaderChanges {
    /// Headers whose values are replaced.
    pub set: Vec<(String, String)>,
    /// Headers that get an additional value.
    pub add: Vec<(String, String)>,
    /// Headers that are removed.
    pub remove: Vec<String>,
}

impl RequestOutcome {
    /// The backends; empty if the proxy answers itself.
    pub fn backends(&self) -> &[BackendShare] {
        match &self.reply {
            Reply::Forward(forward) => &forward.backends,
            Reply::Redirect { .. } | Reply::Response { .. } | Reply::Unknown(_) => &[],
        }
    }

    /// Whether a backend or the proxy answers, as far as is known.
    pub fn is_answered(&self) -> bool {
        match &self.reply {
            Reply::Forward(forward) => forward.is_answered(),
            Reply::Redirect { .. } | Reply::Response { .. } | Reply::Unknown(_) => true,
        }
    }
}

impl Forward {
    /// Forwards `request` unchanged to these backends.
    pub(super) fn unchanged(backends: Vec<BackendShare>, failure: Failure, request: &Request) -> Self {
        Self {
            backends,
            failure,
            request: ForwardedRequest::of(request),
            cors_headers: Vec::new(),
            response_headers: HeaderChanges::default(),
            mirrors: Vec::new(),
            timeouts: Vec::new(),
        }
    }

    /// The backends that get requests as text, each by its `label`, with their shares if there are several.
    pub fn served(&self, label: impl Fn(&BackendShare) -> String) -> String {
        let served: Vec<&BackendShare> = self.backends.iter().filter(|backend| backend.share > 0.0).collect();
        let with_share = |backend: &&BackendShare| format!("{} ({:.0} %)", label(backend), backend.share * 100.0);
        match served.as_slice() {
            [backend] => label(backend),
            several => several.iter().map(with_share).collect::<Vec<_>>().join(" and "),
        }
    }

    /// Whether a backend receives requests that it may answer.
    pub fn is_answered(&self) -> bool {
        self.backends.iter().any(|backend| backend.may_answer && backend.share > 0.0)
    }
}

impl BackendShare {
    /// A Service that receives all requests.
    pub(super) fn of_service(name: &str, namespace: &str, port: Option<Port>) -> Self {
        let (kind, namespace, name) = ("Service".to_owned(), namespace.to_owned(), name.to_owned());
        Self {
            kind,
            namespace,
            name,
            port,
            share: 1.0,
            may_answer: true,
            request_headers: HeaderChanges::default(),
            response_headers: HeaderChanges::default(),
        }
    }

    /// Whether filters of its own change headers.
    pub fn changes_headers(&self) -> bool {
        !self.request_headers.is_empty() || !self.response_headers.is_empty()
    }

    /// Its kind, namespace, name and port, as text.
    pub fn full_label(&self) -> String {
        let kind = if self.kind == "Service" { "Service " } else { "" };
        format!("{kind}{}", self.label_with_port(""))
    }

    /// The name as in [`label`](Self::label), with the port.
    pub fn label_with_port(&self, own: &str) -> String {
        let name = self.label(own);
        match &self.port {
            Some(Port::Number(number)) => format!("{name}:{number}"),
            Some(Port::Name(port)) => format!("{name}:{port}"),
            None => name,
        }
    }

    /// The name, as `namespace/name` if its namespace is not `own`, with the kind in front unless it is a Service.
    pub fn label(&self, own: &str) -> String {
        let name = match self.namespace == own {
            true => self.name.clone(),
            false => format!("{}/{}", self.namespace, self.name),
        };
        if self.kind == "Service" { name } else { format!("{} {name}", self.kind) }
    }
}

impl Failure {
    /// The status code, if there is one.
    pub fn code(self) -> Option<u16> {
        match self {
            Self::Code(code) => Some(code),
            Self::GrpcUnavailable | Self::Closed | Self::Unspecified => None,
        }
    }

    /// What the client gets, as text.
    pub fn message(self) -> String {
        match self {
            Self::Code(code) => format!("answers {code}"),
            Self::GrpcUnavailable => "answers UNAVAILABLE".to_owned(),
            Self::Closed => "the connection is closed".to_owned(),
            Self::Unspecified => "the controller decides what it answers".to_owned(),
        }
    }

    /// What the share of one backend gets, which is not given to others, as text.
    pub(super) fn of_share(self) -> String {
        match self {
            Self::Code(code) => format!("{code} for its share of requests"),
            Self::GrpcUnavailable => "UNAVAILABLE for its share of requests".to_owned(),
            Self::Closed => "its share of connections is closed".to_owned(),
            Self::Unspecified => "its share of requests gets no answer".to_owned(),
        }
    }
}

impl ForwardedRequest {
    /// The request as the client sent it.
    pub(super) fn of(request: &Request) -> Self {
        let (path, host, headers) = (request.path.clone(), request.host.clone(), request.headers.clone());
        Self { path, rewrite: PathRewrite::None, host, headers, changes: HeaderChanges::default() }
    }

    /// Replaces the path by what `rewrite` makes of it.
    pub(super) fn rewrite(&mut self, path: String, rewrite: PathRewrite) {
        (self.path, self.rewrite) = (path, rewrite);
    }

    /// Applies changes to the headers. That of `host` is the host.
    pub(super) fn change_headers(&mut self, changes: &HeaderChanges) {
        changes.apply(&mut self.headers);
        self.changes.extend(changes.clone());
        if let Some(host) = self.headers.iter().position(|(name, _)| name == "host") {
            self.host = self.headers.remove(host).1;
        }
    }
}

impl HeaderChanges {
    /// Whether nothing is changed.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty() && self.add.is_empty() && self.remove.is_empty()
    }

    /// The value that the header with this name is set to.
    pub fn value_of(&self, name: &str) -> Option<&str> {
        self.set.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The same without the header with this name.
    pub fn without(&self, name: &str) -> Self {
        let mut others = self.clone();
        others.set.retain(|(own, _)| own != name);
        others
    }

    /// Adds the changes of `later`, which are applied after these.
    pub(crate) fn extend(&mut self, later: Self) {
        self.set.extend(later.set);
        self.add.extend(later.add);
        self.remove.extend(later.remove);
    }

    /// Applies the changes. An added value is appended to those of the same name.
    pub(crate) fn apply(&self, headers: &mut Vec<(String, String)>) {
        for (name, value) in &self.set {
            headers.retain(|(known, _)| known != name);
            headers.push((name.clone(), value.clone()));
        }
        for (name, value) in &self.add {
            match headers.iter_mut().find(|(known, _)| known == name) {
                Some((_, values)) => *values = format!("{values},{value}"),
                None => headers.push((name.clone(), value.clone())),
            }
        }
        headers.retain(|(known, _)| !self.remove.contains(known));
    }
}
