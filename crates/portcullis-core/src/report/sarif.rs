//! Renders a report as SARIF 2.1.0, the format of code scanning.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value, json};

use super::catalog::CatalogEntry;
use super::fingerprint::fingerprints;
use super::{ObjectFindings, Position, Report, ReportedFinding, Source, UnreadDocument};
use crate::config::Theme;
use crate::finding::Action;
use crate::kinds::ObjectRef;
use crate::message::escape_json;

/// The schema of the format.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The report as indented JSON. The rules are the checks with findings, each with what to do as help.
pub fn render(report: &Report) -> String {
    let rules: Vec<CatalogEntry> = rules(report);
    let results: Vec<Value> = report.entries.iter().flat_map(|entry| results(entry, &rules)).collect();
    let notifications: Vec<Value> =
        report.not_checked().iter().map(notification).chain(report.notes().iter().map(note)).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "portcullis",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|entry| rule(entry, env!("CARGO_PKG_REPOSITORY"))).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": report.is_complete(),
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
        }],
    });
    escape_json(&format!("{log:#}\n"))
}

/// The checks with findings, by id.
fn rules(report: &Report) -> Vec<CatalogEntry> {
    let findings = report.entries.iter().flat_map(|entry| &entry.findings);
    let ids: BTreeSet<&str> = findings.map(|finding| finding.evaluated.finding.check).collect();
    ids.into_iter().filter_map(CatalogEntry::find).collect()
}

/// The rule of a check, with a link to its page of this release if Cargo.toml names the repository.
fn rule(entry: &CatalogEntry, repository: &str) -> Value {
    let (title, advice) = (entry.title(), entry.advice());
    let mut rule = json!({
        "id": entry.id(),
        "shortDescription": {"text": title},
        "help": {"text": advice, "markdown": advice},
        "properties": {"tags": entry.theme().map(Theme::name)
            .into_iter().collect::<Vec<_>>()},
    });
    if !repository.is_empty() {
        let (version, file) = (env!("CARGO_PKG_VERSION"), entry.file());
        rule["helpUri"] = format!("{repository}/blob/v{version}/crates/portcullis-core/src/{file}").into();
    }
    rule
}

fn results(entry: &ObjectFindings, rules: &[CatalogEntry]) -> Vec<Value> {
    let numbered = entry.findings.iter().zip(fingerprints(entry));
    numbered.map(|(finding, fingerprint)| result(entry, finding, &fingerprint, rules)).collect()
}

fn result(entry: &ObjectFindings, reported: &ReportedFinding, fingerprint: &str, rules: &[CatalogEntry]) -> Value {
    let finding = &reported.evaluated.finding;
    let position = reported.position.or(entry.source.position);
    json!({
        "ruleId": finding.check,
        "ruleIndex": rules.iter().position(|rule| rule.id() == finding.check),
        "level": if reported.evaluated.action == Action::Deny { "error" } else { "warning" },
        "message": {"text": reported.message()},
        "locations": [location(&entry.source, position, Some((&entry.object, finding.at.text())))],
        "partialFingerprints": {"primaryLocationLineHash": fingerprint, "portcullisFinding/v1": fingerprint},
    })
}

fn notification(unread: &UnreadDocument) -> Value {
    json!({
        "level": "error",
        "message": {"text": unread.message},
        "locations": [location(&unread.source, unread.source.position, None)],
        "descriptor": {"id": unread.cause},
    })
}

fn note(note: &String) -> Value {
    json!({"level": "note", "message": {"text": note}, "descriptor": {"id": "note"}})
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_location: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<Value>,
}

/// The file and the position, if there is a file, and the object with the address in it.
fn location(source: &Source, position: Option<Position>, logical: Option<(&ObjectRef, String)>) -> Location {
    let physical = source.path().map(|path| {
        let mut physical = json!({"artifactLocation": {"uri": uri(&path)}});
        if let Some(Position { line, column }) = position {
            physical["region"] = json!({"startLine": line, "startColumn": column});
        }
        physical
    });
    let logical = logical.map(|(object, at)| {
        let name = object.to_string();
        json!({"fullyQualifiedName": if at.is_empty() { name } else { format!("{name} {at}") }, "kind": "resource"})
    });
    Location { physical_location: physical, logical_locations: logical.into_iter().collect() }
}

/// A path as a relative or absolute reference. Only characters that a URI must not contain are escaped.
fn uri(file: &str) -> String {
    use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
    const ESCAPED: &AsciiSet = &CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'#')
        .add(b'%')
        .add(b'<')
        .add(b'>')
        .add(b'?')
        .add(b'[')
        .add(b'\\')
        .add(b']')
        .add(b'^')
        .add(b'`')
        .add(b'{')
        .add(b'|')
        .add(b'}');
    // A colon in the first segment would be read as a scheme.
    let is_ambiguous = file.split('/').next().is_some_and(|first| first.contains(':'));
    let prefix = if is_ambiguous { "./" } else { "" };
    format!("{prefix}{}", utf8_percent_encode(file, ESCAPED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_links_to_its_page_once_the_repository_is_known() {
        let entry = CatalogEntry::find("host/path-conflict").expect("there is such a check");
        assert_eq!(rule(&entry, "").get("helpUri"), None);
        let release = concat!("https://github.com/example/portcullis/blob/v", env!("CARGO_PKG_VERSION"));
        let page = format!("{release}/crates/portcullis-core/src/checks/host/path_conflict.md");
        assert_eq!(rule(&entry, "https://github.com/example/portcullis")["helpUri"], page);
    }

    #[test]
    fn a_path_becomes_a_uri_reference() {
        let cases = [
            ("a/b.yaml", "a/b.yaml"),
            ("/a b/100%#.yaml", "/a%20b/100%25%23.yaml"),
            ("c:d.yaml", "./c:d.yaml"),
            ("ü.yaml", "%C3%BC.yaml"),
        ];
        for (file, expected) in cases {
            assert_eq!(uri(file), expected);
        }
    }
}
