//! Renders a report as text.

use std::collections::BTreeMap;

use super::{ObjectFindings, Report};
use crate::checks::{EvaluatedFinding, OmittedFindings};
use crate::finding::Action;
use crate::message::{render_whole, sanitize};

/// All objects with findings, then the summary.
pub fn render(report: &Report) -> String {
    let mut text: String = report.entries.iter().map(|entry| format!("{}\n", self::entry(entry))).collect();
    text.push_str(&sums(report));
    text
}

/// The objects grouped by namespace, then the summary.
pub fn render_by_namespace(report: &Report) -> String {
    let mut entries: Vec<&ObjectFindings> = report.entries.iter().collect();
    entries.sort_by_key(|entry| (&entry.object.namespace, &entry.object));
    let mut text = String::new();
    for namespace in entries.chunk_by(|left, right| left.object.namespace == right.object.namespace) {
        text.push_str(&heading(namespace));
        text.extend(namespace.iter().map(|entry| indented(&self::entry(entry))));
        text.push('\n');
    }
    text.push_str(&sums(report));
    text
}

fn heading(namespace: &[&ObjectFindings]) -> String {
    let name = &namespace[0].object.namespace;
    let title = if name.is_empty() { "the cluster".to_owned() } else { format!("namespace {}", sanitize(name)) };
    let count = |action: Action| namespace.iter().map(|entry| entry.count(action)).sum();
    format!("{title}: {}, {}\n", counted(count(Action::Deny), "denial"), counted(count(Action::Warn), "warning"))
}

/// The summary line, followed by everything that was not checked. If anything was not checked, the summary must not
/// suggest that all is well.
fn sums(report: &Report) -> String {
    let refused = report.refused();
    let mut parts = vec![counted(report.evaluated, "object")];
    if refused > 0 || report.is_complete() {
        parts.push(format!("{refused} would be denied"));
    }
    parts.push(counted(report.count(Action::Warn), "warning"));
    let head = if report.is_complete() { "" } else { "incomplete: " };
    let mut notes = vec![format!("{head}{}", parts.join(", "))];
    match report.others {
        0 => {}
        1 => notes.push("1 document was skipped: its kind is not checked".to_owned()),
        others => notes.push(format!("{others} documents were skipped: their kinds are not checked")),
    }
    match report.no_objects {
        0 => {}
        1 => notes.push("1 document is not a Kubernetes object".to_owned()),
        others => notes.push(format!("{others} documents are not Kubernetes objects")),
    }
    if report.hidden > 0 {
        notes.push(format!("{} not read", counted(report.hidden, "hidden file")));
    }
    if report.templates > 0 {
        notes.push(format!("{} with another ending not read", counted(report.templates, "file")));
    }
    if let Some((requested, readable)) = report.kinds.filter(|(requested, readable)| requested != readable) {
        notes.push(format!("{readable} of {requested} kinds readable"));
    }
    let unread: usize = report.unread.values().flat_map(BTreeMap::values).sum();
    for (count, what) in [(unread - report.partly, "not checked"), (report.partly, "checked in part")] {
        notes.extend((count > 0).then(|| format!("{} {what}", counted(count, "document"))));
    }
    format!("{}\n{}", notes.join("; "), report.unread.iter().map(cause).collect::<String>())
}

/// The maximum number of files listed for one cause.
const NAMED: usize = 10;

/// A line such as `  retired API version: 3 (a.yaml: 2, b.yaml)`.
fn cause((cause, sources): (&&str, &BTreeMap<String, usize>)) -> String {
    let named = |(source, count): (&String, &usize)| match count {
        1 => source.clone(),
        count => format!("{source}: {count}"),
    };
    let mut files: Vec<String> = sources.iter().filter(|(source, _)| !source.is_empty()).map(named).collect();
    let more = files.len().saturating_sub(NAMED);
    files.truncate(NAMED);
    if more > 0 {
        files.push(format!("{more} more"));
    }
    let files = if files.is_empty() { String::new() } else { format!(" ({})", files.join(", ")) };
    format!("  {cause}: {}{}\n", sources.values().sum::<usize>(), sanitize(&files))
}

fn entry(entry: &ObjectFindings) -> String {
    let object = sanitize(&entry.object.to_string());
    let source = if entry.source.is_empty() { String::new() } else { format!("{}: ", entry.source) };
    let lines: String = entry.findings.iter().map(line).chain(entry.omitted_findings.iter().map(more)).collect();
    format!("{source}{object}\n{lines}")
}

fn line(evaluated: &EvaluatedFinding) -> String {
    let (at, message) = (sanitize(&evaluated.finding.at.to_string()), render_whole(&evaluated.finding));
    let at = if at.is_empty() { at } else { format!("{at}: ") };
    format!("  {:<4}  {at}{message}\n", evaluated.action.to_string().to_lowercase())
}

fn more(omitted_findings: &OmittedFindings) -> String {
    format!(
        "  {:<4}  and {} more [{}]\n",
        omitted_findings.action.to_string().to_lowercase(),
        omitted_findings.count,
        omitted_findings.check
    )
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
