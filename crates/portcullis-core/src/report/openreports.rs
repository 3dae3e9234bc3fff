//! Renders a report as the Reports and ClusterReports of OpenReports (`openreports.io/v1alpha1`), which Policy Reporter shows.
//! `docs/openreports.md` documents what the fields contain.

use std::collections::BTreeMap;

use serde::Serialize;

use super::catalog::CatalogEntry;
use super::fingerprint::{fingerprint_of_texts, fingerprints, reference};
use super::{ObjectFindings, Position, Report, ReportedFinding, Source, UnreadDocument};
use crate::checks::OmittedFindings;
use crate::config::Theme;
use crate::finding::Action;
use crate::kinds::ObjectRef;
use crate::message::{NAME, SHOWN, address, sanitize, truncate};

/// The version of the API.
const API_VERSION: &str = "openreports.io/v1alpha1";

/// The source of all results, the name of the first report of a namespace, and the value of the label.
const PORTCULLIS: &str = "portcullis";

/// The label by which the reports of Portcullis are selected.
const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// The policy of a result for something that was not checked.
const NOT_CHECKED: &str = "not-checked";

/// The maximum number of results in a report.
const MAX_RESULTS: usize = 500;

/// The maximum size of the results in a report, in bytes of JSON. etcd stores objects of at most 1.5 MiB.
const MAX_BYTES: usize = 1 << 20;

/// The report as YAML documents for server-side apply: first the ClusterReports, then the Reports by namespace. The notes are comments.
/// The same findings give the same text, whatever the order in which the objects were checked.
pub fn render(report: &Report) -> String {
    let notes = report.notes().into_iter().map(|note| format!("# {}\n", sanitize(&note)));
    notes.chain(documents(report).into_iter().map(|document| format!("---\n{}", yaml(&document)))).collect()
}

/// The document with each text on one line.
fn yaml(document: &ReportDocument) -> String {
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    serde_saphyr::to_string_with_options(document, options).expect("texts, numbers and maps can be written as YAML")
}

/// The reports of all namespaces.
fn documents(report: &Report) -> Vec<ReportDocument> {
    let mut documents = Vec::new();
    for (namespace, results) in results_by_namespace(report) {
        let parts = divide(results).into_iter().enumerate();
        documents.extend(parts.map(|(index, results)| ReportDocument::new(&namespace, index, results)));
    }
    documents
}

/// The results by namespace: findings in the order of their objects, then unread documents. The empty name is that of cluster-scoped
/// objects, and of documents and kinds whose object is not known.
fn results_by_namespace(report: &Report) -> BTreeMap<String, Vec<ReportResult>> {
    let mut entries: Vec<&ObjectFindings> = report.with_findings().collect();
    entries.sort_by_key(|entry| (&entry.object, entry.source.file.as_str(), entry.source.document));
    let mut unread = report.not_checked();
    unread.sort_by(|left, right| order(left).cmp(&order(right)));

    let (mut results, mut ids) = (BTreeMap::<String, Vec<ReportResult>>::new(), BTreeMap::new());
    let mut add = |namespace: &str, mut result: ReportResult| {
        result.make_id_unique(&mut ids);
        results.entry(namespace.to_owned()).or_default().push(result);
    };
    for entry in entries {
        for (finding, fingerprint) in entry.findings.iter().zip(fingerprints(entry)) {
            add(&entry.object.namespace, ReportResult::of_finding(entry, finding, fingerprint));
        }
        for omitted in &entry.omitted_findings {
            add(&entry.object.namespace, ReportResult::of_omitted(entry, omitted));
        }
    }
    for unread in &unread {
        let namespace = unread.object.as_ref().map_or("", |object| object.namespace.as_str());
        add(namespace, ReportResult::of_unread(unread));
    }
    results
}

/// The key by which unread documents are sorted.
fn order(unread: &UnreadDocument) -> (Option<&ObjectRef>, &str, Option<usize>, &str) {
    (unread.object.as_ref(), unread.source.file.as_str(), unread.source.document, unread.message.as_str())
}

/// The results in parts, each of which one report can contain.
fn divide(results: Vec<ReportResult>) -> Vec<Vec<ReportResult>> {
    let (mut parts, mut bytes) = (Vec::<Vec<ReportResult>>::new(), 0);
    for result in results {
        let size = serde_json::to_string(&result).map_or(0, |text| text.len());
        let has_room = parts.last().is_some_and(|part| part.len() < MAX_RESULTS && bytes + size <= MAX_BYTES);
        if !has_room {
            parts.push(Vec::new());
            bytes = 0;
        }
        bytes += size;
        parts.last_mut().expect("a part was added").push(result);
    }
    parts
}

/// A Report, or a ClusterReport without a namespace.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReportDocument {
    api_version: &'static str,
    kind: &'static str,
    metadata: Metadata,
    source: &'static str,
    summary: Summary,
    results: Vec<ReportResult>,
}

impl ReportDocument {
    /// The report with this index among those of its namespace.
    fn new(namespace: &str, index: usize, results: Vec<ReportResult>) -> Self {
        let name = if index == 0 { PORTCULLIS.to_owned() } else { format!("{PORTCULLIS}-{}", index + 1) };
        let labels = BTreeMap::from([(MANAGED_BY, PORTCULLIS)]);
        Self {
            api_version: API_VERSION,
            kind: if namespace.is_empty() { "ClusterReport" } else { "Report" },
            metadata: Metadata { name, namespace: truncate(namespace, NAME), labels },
            source: PORTCULLIS,
            summary: Summary::of(&results),
            results,
        }
    }
}

/// The metadata of a report.
#[derive(Serialize)]
struct Metadata {
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    namespace: String,
    labels: BTreeMap<&'static str, &'static str>,
}

/// The number of results with each status.
#[derive(Serialize)]
struct Summary {
    pass: usize,
    fail: usize,
    warn: usize,
    error: usize,
    skip: usize,
}

impl Summary {
    fn of(results: &[ReportResult]) -> Self {
        let count = |status: ResultStatus| results.iter().filter(|result| result.status == status).count();
        let (fail, warn, error) = (count(ResultStatus::Fail), count(ResultStatus::Warn), count(ResultStatus::Error));
        Self { pass: 0, fail, warn, error, skip: 0 }
    }
}

/// The status of a result.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum ResultStatus {
    /// The finding denies.
    Fail,
    /// The finding warns.
    Warn,
    /// Something was not checked.
    Error,
}

/// The severity of a result.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
enum Severity {
    /// The finding denies.
    High,
    /// The finding warns.
    Medium,
}

/// A result. Policy Reporter takes the source from here and not from the report, and the id from `properties.resultID`: ids that it
/// computes itself are the same for objects with the same name in two namespaces.
#[derive(Serialize)]
struct ReportResult {
    source: &'static str,
    policy: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<Severity>,
    #[serde(rename = "result")]
    status: ResultStatus,
    scored: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resources: Vec<Resource>,
    message: String,
    properties: BTreeMap<&'static str, String>,
}

/// The name of the property with the id of a result.
const RESULT_ID: &str = "resultID";

impl ReportResult {
    /// The result for a finding.
    fn of_finding(entry: &ObjectFindings, reported: &ReportedFinding, fingerprint: String) -> Self {
        let (evaluated, finding) = (&reported.evaluated, &reported.evaluated.finding);
        let more = [
            ("field", Some(address(&finding.at)).filter(|field| !field.is_empty())),
            ("other", finding.other.as_ref().map(|other| truncate(&other.to_string(), SHOWN))),
            ("preexisting", evaluated.is_preexisting.then(|| true.to_string())),
            (RESULT_ID, Some(fingerprint)),
        ];
        let place = place(&entry.source, reported.position.or(entry.source.position));
        Self {
            properties: properties(more.into_iter().chain(place)),
            ..Self::of_check(&entry.object, finding.check, evaluated.action, &reported.text())
        }
    }

    /// The result for the findings of a check that are not listed.
    fn of_omitted(entry: &ObjectFindings, omitted: &OmittedFindings) -> Self {
        let message = format!("findings of this check that are not listed: {} [{}]", omitted.count, omitted.check);
        let object = reference(&entry.object);
        let texts = [NOT_LISTED, omitted.check, omitted.action.name(), &object];
        let more = [("count", Some(omitted.count.to_string())), (RESULT_ID, Some(fingerprint_of_texts(&texts)))];
        Self {
            properties: properties(more.into_iter().chain(place(&entry.source, entry.source.position))),
            ..Self::of_check(&entry.object, omitted.check, omitted.action, &message)
        }
    }

    /// The result for findings of a check in an object, without properties.
    fn of_check(object: &ObjectRef, check: &'static str, action: Action, message: &str) -> Self {
        let (status, severity) = match action {
            Action::Deny => (ResultStatus::Fail, Severity::High),
            Action::Off | Action::Audit | Action::Warn => (ResultStatus::Warn, Severity::Medium),
        };
        Self {
            source: PORTCULLIS,
            policy: check,
            category: CatalogEntry::find(check).and_then(|entry| entry.theme()).map(Theme::name),
            severity: Some(severity),
            status,
            scored: status == ResultStatus::Fail,
            resources: vec![Resource::of(object)],
            message: truncate(message, SHOWN),
            properties: BTreeMap::new(),
        }
    }

    /// The result for a document, an object or a kind that was not checked, or only in part.
    fn of_unread(unread: &UnreadDocument) -> Self {
        let object = unread.object.as_ref().map(reference).unwrap_or_default();
        let texts = [NOT_CHECKED, unread.cause, &object, &unread.source.file, &unread.message];
        let more = [
            ("cause", Some(unread.cause.to_owned())),
            ("partly", unread.is_partly_checked.then(|| true.to_string())),
            (RESULT_ID, Some(fingerprint_of_texts(&texts))),
        ];
        Self {
            source: PORTCULLIS,
            policy: NOT_CHECKED,
            category: None,
            severity: None,
            status: ResultStatus::Error,
            scored: false,
            resources: unread.object.iter().map(Resource::of).collect(),
            message: truncate(&unread.message, SHOWN),
            properties: properties(more.into_iter().chain(place(&unread.source, unread.source.position))),
        }
    }

    /// Appends a number to the id if an earlier result has the same one: files may define an object more than once.
    fn make_id_unique(&mut self, ids: &mut BTreeMap<String, usize>) {
        if let Some(id) = self.properties.get_mut(RESULT_ID) {
            let number = ids.entry(id.clone()).or_default();
            *number += 1;
            if *number > 1 {
                *id = format!("{id}:{number}");
            }
        }
    }
}

/// Distinguishes the id of findings that are not listed from other ids.
const NOT_LISTED: &str = "not-listed";

/// The properties that have a value.
fn properties(all: impl Iterator<Item = (&'static str, Option<String>)>) -> BTreeMap<&'static str, String> {
    all.filter_map(|(name, value)| Some((name, value?))).collect()
}

/// The properties that say where something is written; without values for an object of a cluster.
fn place(source: &Source, position: Option<Position>) -> [(&'static str, Option<String>); 3] {
    let path = source.path();
    let position = position.filter(|_| path.is_some());
    [
        ("file", path.map(|path| truncate(&path, SHOWN))),
        ("line", position.map(|position| position.line.to_string())),
        ("column", position.map(|position| position.column.to_string())),
    ]
}

/// A reference to the object that a result is about, with the preferred version of its API.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    api_version: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    namespace: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
}

impl Resource {
    fn of(object: &ObjectRef) -> Self {
        let api = object.kind.api();
        let version = api.versions[0];
        Self {
            api_version: if api.group.is_empty() { version.to_owned() } else { format!("{}/{version}", api.group) },
            kind: api.kind,
            namespace: truncate(&object.namespace, NAME),
            name: truncate(&object.name, NAME),
        }
    }
}

#[cfg(test)]
mod tests;
