//! Renders a report as JSON. `docs/lint.md` documents the shape; `version` changes if a field is removed or gets another
//! meaning.

use std::collections::BTreeMap;

use serde::Serialize;

use super::catalog::CatalogEntry;
use super::fingerprint::fingerprints;
use super::{ObjectFindings, Position, Report, ReportedFinding, Source, Totals, UnreadDocument};
use crate::config::Theme;
use crate::finding::Action;
use crate::kinds::ObjectRef;
use crate::message::render_whole;

/// The version of the shape.
const VERSION: u32 = 1;

/// The report as indented JSON.
pub fn render(report: &Report) -> String {
    let findings = report.entries.iter().flat_map(findings).collect();
    let omitted = report.entries.iter().flat_map(omitted).collect();
    let not_checked = report.unread.iter().map(NotChecked::of).collect();
    let written = Written { version: VERSION, summary: Summary::of(report), findings, omitted, not_checked };
    let mut text = serde_json::to_string_pretty(&written).unwrap_or_default();
    text.push('\n');
    text
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'r> {
    version: u32,
    summary: Summary<'r>,
    findings: Vec<FindingDocument<'r>>,
    omitted: Vec<OmittedDocument<'r>>,
    not_checked: Vec<NotChecked<'r>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary<'r> {
    complete: bool,
    objects: usize,
    denied: usize,
    denials: usize,
    warnings: usize,
    not_checked: usize,
    skipped: usize,
    checks: BTreeMap<&'static str, Count>,
    namespaces: BTreeMap<&'r str, Count>,
}

impl<'r> Summary<'r> {
    fn of(report: &'r Report) -> Self {
        Self {
            complete: report.is_complete(),
            objects: report.entries.len(),
            denied: report.refused(),
            denials: report.count(Action::Deny),
            warnings: report.count(Action::Warn),
            not_checked: report.unread.len(),
            skipped: report.others + report.no_objects + report.hidden + report.templates,
            checks: report.by_check().into_iter().map(|(check, totals)| (check, Count::of(totals))).collect(),
            namespaces: report.by_namespace().into_iter().map(|(name, totals)| (name, Count::of(totals))).collect(),
        }
    }
}

#[derive(Serialize)]
struct Count {
    denials: usize,
    warnings: usize,
}

impl Count {
    const fn of(totals: Totals) -> Self {
        Self { denials: totals.denials, warnings: totals.warnings }
    }
}

#[derive(Serialize)]
struct Object<'r> {
    group: &'static str,
    kind: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'r str,
    name: &'r str,
}

impl<'r> Object<'r> {
    fn of(object: &'r ObjectRef) -> Self {
        let api = object.kind.api();
        Self { group: api.group, kind: api.kind, namespace: &object.namespace, name: &object.name }
    }
}

/// Where something is written; absent fields are not known.
#[derive(Serialize)]
struct Place<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FindingDocument<'r> {
    #[serde(flatten)]
    place: Place<'r>,
    object: Object<'r>,
    check: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    theme: Option<&'static str>,
    action: &'static str,
    preexisting: bool,
    field: String,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<Object<'r>>,
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

#[derive(Serialize)]
struct OmittedDocument<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'r str>,
    object: Object<'r>,
    check: &'static str,
    action: &'static str,
    count: usize,
}

#[derive(Serialize)]
struct NotChecked<'r> {
    #[serde(flatten)]
    place: Place<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<Object<'r>>,
    cause: &'static str,
    message: &'r str,
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
