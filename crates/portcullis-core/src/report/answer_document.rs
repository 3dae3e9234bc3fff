//! Renders the answer of `explain` as JSON. `docs/explain.schema.json` describes the shape, to which fields may be added.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;

use super::document_parts::{Number, Pair, reference};
use super::outcome::OutcomeDocument;
use crate::explain::{self, BackendShare, Explanation};
use crate::field::FieldPath;
use crate::kinds::ObjectRef;

/// The answer as one line of JSON. `unread` lists the objects that could not be read and might answer.
pub fn json(answer: &Explanation, unread: &[String]) -> String {
    let request = &answer.request;
    let written = AnswerDocument {
        request: RequestDocument {
            method: &request.method,
            url: request.url(),
            scheme: request.scheme(),
            host: &request.host,
            port: request.port,
            path: &request.path,
            query: Pair::all(&request.query),
            headers: Pair::all(&request.headers),
            sni: request.sni.as_deref(),
        },
        outcome: OutcomeDocument::of(answer, unread.is_empty()),
        winner: answer.winner.as_ref().map(|(_, winner)| Winner {
            object: reference(&winner.object),
            field: winner.field.to_string(),
            backends: winner
                .outcome
                .backends()
                .iter()
                .map(|share| Share::of(share, &winner.object.namespace))
                .collect(),
            chain: winner.chain.iter().map(|link| Link::of(&link.object, &link.field, &link.message)).collect(),
        }),
        answered: answer.is_answered(),
        losers: answer.losers.iter().map(Loser::of).collect(),
        ambiguous: answer.is_ambiguous(),
        unread,
    };
    let mut text = serde_json::to_string(&written).unwrap_or_default();
    text.push('\n');
    text
}

/// The JSON schema of an answer.
pub fn schema() -> serde_json::Value {
    let settings = SchemaSettings::default().for_serialize();
    settings.into_generator().into_root_schema_for::<AnswerDocument<'_>>().to_value()
}

/// The answer of `explain`.
#[derive(Serialize, JsonSchema)]
struct AnswerDocument<'r> {
    /// The request.
    request: RequestDocument<'r>,
    /// What the client gets.
    outcome: OutcomeDocument<'r>,
    /// The rule that matches.
    winner: Option<Winner<'r>>,
    /// Whether a backend or the proxy answers.
    answered: bool,
    /// The rules that do not answer, the closest first.
    losers: Vec<Loser<'r>>,
    /// Whether several data planes would answer.
    ambiguous: bool,
    /// What could not be read and may answer.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    unread: &'r [String],
}

/// A request.
#[derive(Serialize, JsonSchema)]
struct RequestDocument<'r> {
    /// The method.
    method: &'r str,
    /// The URL.
    url: String,
    /// `http` or `https`.
    scheme: &'static str,
    /// The host.
    host: &'r str,
    /// The port of the connection.
    port: u16,
    /// The path, without the query.
    path: &'r str,
    /// The decoded query parameters.
    query: Vec<Pair<'r>>,
    /// The headers.
    headers: Vec<Pair<'r>>,
    /// The server name of the TLS handshake.
    sni: Option<&'r str>,
}

/// The rule that matches the request.
#[derive(Serialize, JsonSchema)]
struct Winner<'r> {
    /// Its object, as `Kind/namespace/name`.
    object: String,
    /// The address of the rule.
    field: String,
    /// Its backends.
    backends: Vec<Share<'r>>,
    /// The steps from the data plane to the backends.
    chain: Vec<Link<'r>>,
}

/// A backend with its share of the requests.
#[derive(Serialize, JsonSchema)]
struct Share<'r> {
    /// The name, with the namespace if it is another one, and with the kind unless it is a Service.
    service: String,
    /// The number of the port, or its name if the number is not known.
    port: Option<Number<'r>>,
    /// The share, from 0 to 1.
    share: f64,
}

impl<'r> Share<'r> {
    fn of(backend: &'r BackendShare, own: &str) -> Self {
        Self { service: backend.label(own), port: backend.port.as_ref().map(Number::of), share: backend.share }
    }
}

/// A step of the chain.
#[derive(Serialize, JsonSchema)]
struct Link<'r> {
    /// The object, as `Kind/namespace/name`.
    object: String,
    /// The address of the field that leads to the next step; empty for the object as a whole.
    field: String,
    /// What the object or the field does.
    message: &'r str,
}

impl<'r> Link<'r> {
    fn of(object: &ObjectRef, field: &FieldPath, message: &'r str) -> Self {
        Self { object: reference(object), field: field.to_string(), message }
    }
}

/// A rule that does not answer.
#[derive(Serialize, JsonSchema)]
struct Loser<'r> {
    /// Its object, as `Kind/namespace/name`.
    object: String,
    /// The address of the rule, or of the field that excludes the object.
    field: String,
    /// Why it does not answer.
    reason: &'r str,
}

impl<'r> Loser<'r> {
    fn of(loser: &'r explain::Loser) -> Self {
        Self { object: reference(&loser.object), field: loser.field.to_string(), reason: &loser.reason }
    }
}
