//! A comparison as JSON. `docs/compare.schema.json` describes the shape, to which fields may be added.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;

use super::super::document_parts::{Pair, reference};
use super::super::outcome::OutcomeDocument;
use super::{Compared, NotExpressed, curl};
use crate::compare::{Difference, HostClass, HostResult, Overall, Verdict};
use crate::explain::Explanation;

/// The comparison as one line of JSON.
pub fn json(compared: &Compared<'_>) -> String {
    let of = |is_known: bool| {
        let all = compared.differences();
        let all = all.filter(move |(_, difference)| matches!(difference.verdict, Verdict::Different(_)) == is_known);
        all.map(|(host, difference)| DifferenceDocument::of(&host.host, difference)).collect()
    };
    let not_compared = compared
        .hosts
        .iter()
        .flat_map(|host| host.not_compared.iter().map(|reason| NotCompared { host: host.host.to_string(), reason }));
    let written = CompareDocument {
        verdict: VerdictDocument::of(compared.overall()),
        hosts: Counts {
            same: compared.count(Overall::Same),
            different: compared.count(Overall::Different),
            unknown: compared.count(Overall::Unknown),
            unchanged: compared.unchanged(),
        },
        regions: compared.hosts.iter().flat_map(HostResult::counts).sum(),
        different: of(true),
        unknown: of(false),
        not_expressed: compared.not_expressed().into_iter().map(NotExpressedDocument::of).collect(),
        not_compared: not_compared.collect(),
        unread: compared.unread,
    };
    let mut text = serde_json::to_string(&written).unwrap_or_default();
    text.push('\n');
    text
}

/// The JSON schema of a comparison.
pub fn schema() -> serde_json::Value {
    let settings = SchemaSettings::default().for_serialize();
    settings.into_generator().into_root_schema_for::<CompareDocument<'_>>().to_value()
}

/// Which requests two sets of objects answer differently.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CompareDocument<'r> {
    /// The verdict about all requests.
    verdict: VerdictDocument,
    /// The numbers of hosts, and of classes of hosts that a wildcard matches.
    hosts: Counts,
    /// The number of regions of requests that were compared.
    regions: usize,
    /// The requests that get other answers.
    different: Vec<DifferenceDocument<'r>>,
    /// The requests of which it is not known whether they do.
    unknown: Vec<DifferenceDocument<'r>>,
    /// What one side asks for and the other does not express, and what changes no reply.
    not_expressed: Vec<NotExpressedDocument>,
    /// The hosts whose requests are not compared, or not all of them.
    not_compared: Vec<NotCompared<'r>>,
    /// What could not be read and may change answers.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    unread: &'r [String],
}

/// A verdict.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum VerdictDocument {
    /// No answer differs.
    Same,
    /// Some answers differ.
    Different,
    /// Whether some answers differ is not known.
    Unknown,
}

impl VerdictDocument {
    const fn of(overall: Overall) -> Self {
        match overall {
            Overall::Same => Self::Same,
            Overall::Different => Self::Different,
            Overall::Unknown => Self::Unknown,
        }
    }
}

/// Numbers of hosts by verdict.
#[derive(Serialize, JsonSchema)]
struct Counts {
    /// Those whose requests all get the same answers.
    same: usize,
    /// Those with a request that gets another answer.
    different: usize,
    /// The others.
    unknown: usize,
    /// Those of the same that no change concerns, so that their requests were not compared one by one.
    unchanged: usize,
}

/// Requests that get other answers, or may do so.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DifferenceDocument<'r> {
    /// The host, or the class of hosts.
    host: String,
    /// An example.
    request: RequestDocument<'r>,
    /// The number of regions that differ alike.
    regions: usize,
    /// The answer before.
    before: SideDocument<'r>,
    /// The answer after.
    after: SideDocument<'r>,
    /// What differs, or why that is not known.
    cause: String,
    /// Why that is accepted; absent if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<&'r str>,
}

impl<'r> DifferenceDocument<'r> {
    fn of(host: &HostClass, difference: &'r Difference) -> Self {
        let request = difference.example();
        Self {
            host: host.to_string(),
            request: RequestDocument {
                method: &request.method,
                url: request.url(),
                headers: Pair::all(&request.headers),
                curl: curl(request),
            },
            regions: difference.requests.count(),
            before: SideDocument::of(&difference.before),
            after: SideDocument::of(&difference.after),
            cause: difference.reasons().join("; "),
            accepted: difference.accepted.as_deref(),
        }
    }
}

/// A request.
#[derive(Serialize, JsonSchema)]
struct RequestDocument<'r> {
    /// The method.
    method: &'r str,
    /// The URL.
    url: String,
    /// The headers.
    headers: Vec<Pair<'r>>,
    /// A command that sends it.
    curl: String,
}

/// The answer of one side.
#[derive(Serialize, JsonSchema)]
struct SideDocument<'r> {
    /// The object with the rule that answers, as `Kind/namespace/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<String>,
    /// The address of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// What the client gets.
    outcome: OutcomeDocument<'r>,
}

impl<'r> SideDocument<'r> {
    fn of(answer: &'r Explanation) -> Self {
        let winner = answer.winner.as_ref().map(|(_, winner)| winner);
        Self {
            object: winner.map(|winner| reference(&winner.object)),
            field: winner.map(|winner| winner.field.to_string()),
            outcome: OutcomeDocument::of(answer, true),
        }
    }
}

/// What one side alone asks for, without changing a reply, or another spelling of paths.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "NotExpressed")]
struct NotExpressedDocument {
    /// What.
    what: String,
    /// The hosts, or the classes of hosts.
    hosts: Vec<String>,
    /// The paths it is about, each after its host, with what differs there; absent if it is about all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    examples: Vec<String>,
}

impl NotExpressedDocument {
    fn of(NotExpressed { what, hosts, examples }: NotExpressed<'_>) -> Self {
        Self { what, hosts: hosts.into_iter().map(ToString::to_string).collect(), examples }
    }
}

/// Requests that are not compared.
#[derive(Serialize, JsonSchema)]
struct NotCompared<'r> {
    /// The host, or the class of hosts.
    host: String,
    /// Why.
    reason: &'r str,
}
