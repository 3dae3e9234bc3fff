//! Renders a report as text.

use std::collections::BTreeMap;

use anstyle::{AnsiColor, Style};

use super::{ObjectFindings, Report, ReportedFinding, RequestedKinds, Totals, UnreadDocument};
use crate::checks::OmittedFindings;
use crate::finding::Action;
use crate::message::{SHOWN, sanitize, truncate};

/// The style of headings, of `Deny`, of `Warn` and of positions.
const HEADING: Style = Style::new().bold();
const DENIAL: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default();
const POSITION: Style = Style::new().dimmed();

/// All objects with findings, with ANSI styles, which the caller removes where the output is not a terminal.
pub fn render(report: &Report) -> String {
    report.with_findings().map(|entry| format!("{}\n", self::entry(entry))).collect()
}

/// The objects with findings grouped by namespace, with styles as in [`render`].
pub fn render_by_namespace(report: &Report) -> String {
    let mut entries: Vec<&ObjectFindings> = report.with_findings().collect();
    entries.sort_by_key(|entry| (&entry.object.namespace, &entry.object));
    let mut text = String::new();
    for namespace in entries.chunk_by(|left, right| left.object.namespace == right.object.namespace) {
        text.push_str(&heading(namespace));
        text.extend(namespace.iter().map(|entry| indented(&self::entry(entry))));
        text.push('\n');
    }
    text
}

/// The counts by check and by namespace, with styles as in [`render`].
pub fn render_totals(report: &Report) -> String {
    let named = |name: &str| if name.is_empty() { "the cluster".to_owned() } else { truncate(name, SHOWN) };
    let checks = report.by_check().into_iter().map(|(check, totals)| (check.to_owned(), totals)).collect();
    let namespaces = report.by_namespace().into_iter().map(|(name, totals)| (named(name), totals)).collect();
    format!("{}{}", table("check", checks), table("namespace", namespaces))
}

fn table(title: &str, rows: Vec<(String, Totals)>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let width = rows.iter().map(|(name, _)| name.chars().count()).chain([title.len()]).max().unwrap_or_default();
    let head = format!("{title:<width$}  denials  warnings");
    let line =
        |(name, totals): &(String, Totals)| format!("{name:<width$}  {:>7}  {:>8}\n", totals.denials, totals.warnings);
    format!("{HEADING}{head}{HEADING:#}\n{}\n", rows.iter().map(line).collect::<String>())
}

fn heading(namespace: &[&ObjectFindings]) -> String {
    let name = &namespace[0].object.namespace;
    let title = if name.is_empty() { "the cluster".to_owned() } else { format!("namespace {}", truncate(name, SHOWN)) };
    let count = |action: Action| namespace.iter().map(|entry| entry.count(action)).sum();
    format!(
        "{HEADING}{title}{HEADING:#}: {}, {}\n",
        counted(count(Action::Deny), "denial"),
        counted(count(Action::Warn), "warning")
    )
}

/// The summary line, followed by everything that was not checked. If anything was not checked, the summary must not
/// suggest that all is well.
pub fn render_summary(report: &Report) -> String {
    let refused = report.refused();
    let mut parts = vec![counted(report.entries.len(), "object")];
    if refused > 0 || report.is_complete() {
        parts.push(format!("{refused} would be denied"));
    }
    parts.push(counted(report.count(Action::Warn), "warning"));
    let head = if report.is_complete() { "" } else { "incomplete: " };
    let mut notes = vec![format!("{head}{}", parts.join(", "))];
    notes.extend(report.hidden_notes());
    notes.extend(report.looked_up_note());
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
    if let Some(RequestedKinds { requested, unreadable }) = report.kinds.filter(|kinds| !kinds.unreadable.is_empty()) {
        let (all, readable) = (requested.iter().count(), requested.without(unreadable).iter().count());
        notes.push(format!("{readable} of {all} kinds readable"));
    }
    let (partly, not): (Vec<_>, Vec<_>) = report.unread.iter().partition(|unread| unread.is_partly_checked);
    for (count, what) in [(not.len(), "not checked"), (partly.len(), "checked in part")] {
        notes.extend((count > 0).then(|| format!("{} {what}", counted(count, "document"))));
    }
    format!("{}\n{}", notes.join("; "), causes(&report.unread))
}

/// A line for each cause, with the number of documents in each file.
fn causes(unread: &[UnreadDocument]) -> String {
    let mut causes: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for unread in unread {
        *causes.entry(unread.cause).or_default().entry(&unread.source.file).or_default() += 1;
    }
    causes.into_iter().map(cause).collect()
}

/// The maximum number of files listed for one cause.
const NAMED: usize = 10;

/// A line such as `  retired API version: 3 (a.yaml: 2, b.yaml)`.
fn cause((cause, sources): (&str, BTreeMap<&str, usize>)) -> String {
    let named = |(source, count): (&&str, &usize)| match count {
        1 => (*source).to_owned(),
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
    let object = truncate(&entry.object.to_string(), SHOWN);
    let file = sanitize(&entry.source.file);
    let source = if file.is_empty() { file } else { format!("{file}: ") };
    let positions: Vec<String> = entry.findings.iter().map(position).collect();
    let width = positions.iter().map(String::len).max().unwrap_or_default();
    let found = entry.findings.iter().zip(&positions).map(|(finding, position)| line(finding, position, width));
    let omitted = entry.omitted_findings.iter().map(|omitted| more(omitted, width));
    format!("{HEADING}{source}{object}{HEADING:#}\n{}", found.chain(omitted).collect::<String>())
}

/// Line and column; empty if they are not known.
fn position(finding: &ReportedFinding) -> String {
    finding.position.map(|position| format!("{}:{}", position.line, position.column)).unwrap_or_default()
}

fn line(reported: &ReportedFinding, position: &str, width: usize) -> String {
    let finding = &reported.evaluated.finding;
    let (at, message) = (truncate(&finding.at.to_string(), SHOWN), reported.text());
    let at = if at.is_empty() { at } else { format!("{at}: ") };
    format!("{}{at}{message}\n", margin(reported.evaluated.action, position, width))
}

fn more(omitted_findings: &OmittedFindings, width: usize) -> String {
    let margin = margin(omitted_findings.action, "", width);
    format!("{margin}and {} more [{}]\n", omitted_findings.count, omitted_findings.check)
}

/// The text before a message: the position, if positions are known, and the action.
fn margin(action: Action, position: &str, width: usize) -> String {
    let gap = if width == 0 { "" } else { "  " };
    let style = if action == Action::Deny { DENIAL } else { WARNING };
    format!("  {POSITION}{position:<width$}{POSITION:#}{gap}{style}{action:<4}{style:#}  ")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
