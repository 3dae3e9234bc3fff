//! Renders a report as JSON. `docs/report-json.md` documents the shape; `version` changes if a field is removed or gets another
//! meaning.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::catalog::CatalogEntry;
use super::fingerprint::fingerprints;
use super::{ObjectFindings, Position, Report, ReportedFinding, Source, Totals, UnreadDocument};
use crate::config::Theme;
use crate::finding::Action;
use crate::kinds::ObjectRef;
use crate::message::{escape_json, render_whole};

/// The version of the shape.
const VERSION: u32 = 1;

/// The report as indented JSON.
pub fn render(report: &Report) -> String {
    let findings = report.entries.iter().flat_map(findings).collect();
    let omitted = report.entries.iter().flat_map(omitted).collect();
    let unread = report.not_checked();
    let not_checked: Vec<NotChecked<'_>> = unread.iter().map(NotChecked::of).collect();
    let summary = Summary::of(report, not_checked.len());
    let written = ReportDocument { version: VERSION, summary, findings, omitted, not_checked };
    let mut text = escape_json(&serde_json::to_string_pretty(&written).unwrap_or_default());
    text.push('\n');
    text
}

/// The JSON schema of a report.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(ReportDocument<'_>).to_value()
}

fn findings(entry: &ObjectFindings) -> Vec<FindingDocument<'_>> {
    let numbered = entry.findings.iter().zip(fingerprints(entry));
    numbered.map(|(finding, fingerprint)| FindingDocument::of(entry, finding, fingerprint)).collect()
}

fn omitted(entry: &ObjectFindings) -> impl Iterator<Item = OmittedDocument<'_>> {
    entry.omitted_findings.iter().map(|omitted| OmittedDocument {
        file: file(&entry.source),
        object: Object::of(&entry.object),
        check: omitted.check,
        action: omitted.action.name(),
        count: omitted.count,
    })
}

fn file(source: &Source) -> Option<&str> {
    (!source.file.is_empty()).then_some(&source.file)
}

/// The findings of Portcullis.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReportDocument<'r> {
    /// The version of this shape. It changes if a field is removed or gets another meaning.
    version: u32,
    /// Counts.
    summary: Summary<'r>,
    /// The findings.
    findings: Vec<FindingDocument<'r>>,
    /// Checks with more findings in an object than are listed.
    omitted: Vec<OmittedDocument<'r>>,
    /// Documents, objects and kinds that were not checked, or only in part.
    not_checked: Vec<NotChecked<'r>>,
}

/// Counts.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Summary<'r> {
    /// Whether everything was checked.
    complete: bool,
    /// The number of objects that were checked.
    objects: usize,
    /// The number of objects that would be denied.
    denied: usize,
    /// The number of findings that deny.
    denials: usize,
    /// The number of findings that warn.
    warnings: usize,
    /// The number of findings that deny and are hidden by filters.
    hidden_denials: usize,
    /// The number of findings that make the exit code 1 although `--action` hides them all.
    hidden_failures: usize,
    /// The number of objects that were read only because others may refer to them.
    looked_up: usize,
    /// The number of entries of `notChecked`.
    not_checked: usize,
    /// The number of documents of other kinds, and of files that are hidden or named like templates.
    skipped: usize,
    /// The findings by the id of a check.
    checks: BTreeMap<&'static str, Count>,
    /// The findings by namespace; the empty name is that of cluster-scoped objects.
    namespaces: BTreeMap<&'r str, Count>,
}

impl<'r> Summary<'r> {
    fn of(report: &'r Report, not_checked: usize) -> Self {
        Self {
            complete: report.is_complete(),
            objects: report.entries.len(),
            denied: report.refused(),
            denials: report.count(Action::Deny),
            warnings: report.count(Action::Warn),
            hidden_denials: report.hidden_denials,
            hidden_failures: report.hidden_failures,
            looked_up: report.looked_up,
            not_checked,
            skipped: report.others + report.no_objects + report.hidden + report.templates,
            checks: report.by_check().into_iter().map(|(check, totals)| (check, Count::of(totals))).collect(),
            namespaces: report.by_namespace().into_iter().map(|(name, totals)| (name, Count::of(totals))).collect(),
        }
    }
}

/// The findings of a check or a namespace.
#[derive(Serialize, JsonSchema)]
struct Count {
    /// The number of findings that deny.
    denials: usize,
    /// The number of findings that warn.
    warnings: usize,
}

impl Count {
    const fn of(totals: Totals) -> Self {
        Self { denials: totals.denials, warnings: totals.warnings }
    }
}

/// An object.
#[derive(Serialize, JsonSchema)]
struct Object<'r> {
    /// The API group; empty for core kinds.
    group: &'static str,
    /// The kind.
    kind: &'static str,
    /// The namespace; absent for cluster-scoped kinds.
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'r str,
    /// The name.
    name: &'r str,
}

impl<'r> Object<'r> {
    fn of(object: &'r ObjectRef) -> Self {
        let api = object.kind.api();
        Self { group: api.group, kind: api.kind, namespace: &object.namespace, name: &object.name }
    }
}

/// Where something is written; absent fields are not known.
#[derive(Serialize, JsonSchema)]
struct Place<'r> {
    /// The file; absent for an object of a cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'r str>,
    /// The number of the document in the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<usize>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// The column in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

impl<'r> Place<'r> {
    fn of(source: &'r Source, position: Option<Position>) -> Self {
        Self {
            file: file(source),
            document: source.document,
            line: position.map(|position| position.line),
            column: position.map(|position| position.column),
        }
    }
}

/// A finding.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FindingDocument<'r> {
    #[serde(flatten)]
    place: Place<'r>,
    /// The object.
    object: Object<'r>,
    /// The id of the check.
    check: &'static str,
    /// The theme of the check.
    #[serde(skip_serializing_if = "Option::is_none")]
    theme: Option<&'static str>,
    /// What the finding does.
    #[schemars(extend("enum" = ["Deny", "Warn"]))]
    action: &'static str,
    /// Whether the live object already has the finding, so that it only warns.
    preexisting: bool,
    /// The address of the field; empty for the whole object.
    field: String,
    /// The message, with the id at its end.
    message: String,
    /// The other object of a conflict.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<Object<'r>>,
    /// The same in every report for the same fault of the same object.
    fingerprint: String,
}

impl<'r> FindingDocument<'r> {
    fn of(entry: &'r ObjectFindings, reported: &'r ReportedFinding, fingerprint: String) -> Self {
        let (evaluated, source, position) = (&reported.evaluated, &entry.source, reported.position);
        let finding = &evaluated.finding;
        Self {
            place: Place::of(source, position),
            object: Object::of(&entry.object),
            check: finding.check,
            theme: CatalogEntry::find(finding.check).and_then(|entry| entry.theme()).map(Theme::name),
            action: evaluated.action.name(),
            preexisting: evaluated.is_preexisting,
            field: finding.at.text(),
            message: render_whole(finding),
            other: finding.other.as_ref().map(Object::of),
            fingerprint,
        }
    }
}

/// A check with more findings in an object than are listed.
#[derive(Serialize, JsonSchema)]
struct OmittedDocument<'r> {
    /// The file; absent for an object of a cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'r str>,
    /// The object.
    object: Object<'r>,
    /// The id of the check.
    check: &'static str,
    /// What the findings do.
    #[schemars(extend("enum" = ["Deny", "Warn"]))]
    action: &'static str,
    /// The number of findings that are not listed.
    count: usize,
}

/// A document, an object or a kind that was not checked, or only in part.
#[derive(Serialize, JsonSchema)]
struct NotChecked<'r> {
    #[serde(flatten)]
    place: Place<'r>,
    /// The object, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<Object<'r>>,
    /// The cause, a short text that does not depend on the document.
    cause: &'static str,
    /// The error message.
    message: &'r str,
    /// Whether the object was checked except for the fields that cannot be read.
    partly: bool,
}

impl<'r> NotChecked<'r> {
    fn of(unread: &'r UnreadDocument) -> Self {
        let (source, position) = (&unread.source, unread.source.position);
        Self {
            place: Place::of(source, position),
            object: unread.object.as_ref().map(Object::of),
            cause: unread.cause,
            message: &unread.message,
            partly: unread.is_partly_checked,
        }
    }
}
