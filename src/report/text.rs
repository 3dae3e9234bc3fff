//! A report for people.

use super::{Entry, Report};
use crate::checks::Judged;
use crate::finding::Action;
use crate::sentence::{Names, clean, sentence};

/// Object by object, then the sums.
pub fn render(report: &Report) -> String {
    let mut text: String = report.entries.iter().map(|entry| format!("{}\n", self::entry(entry))).collect();
    text.push_str(&sums(report));
    text
}

/// The same under a heading for each namespace.
pub fn render_by_namespace(report: &Report) -> String {
    let mut entries: Vec<&Entry> = report.entries.iter().collect();
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

fn heading(namespace: &[&Entry]) -> String {
    let name = &namespace[0].object.namespace;
    let title = if name.is_empty() { "the cluster".to_owned() } else { format!("namespace {}", clean(name)) };
    let findings = || namespace.iter().flat_map(|entry| &entry.findings);
    let count = |action: Action| findings().filter(|judged| judged.action == action).count();
    format!("{title}: {}, {}\n", counted(count(Action::Deny), "denial"), counted(count(Action::Warn), "warning"))
}

fn sums(report: &Report) -> String {
    let (objects, warnings) = (counted(report.judged, "object"), counted(report.count(Action::Warn), "warning"));
    let others = match report.others {
        0 => String::new(),
        1 => "; 1 document of another kind was not read".to_owned(),
        others => format!("; {others} documents of other kinds were not read"),
    };
    format!("{objects}, {} would be refused, {warnings}{others}\n", report.refused())
}

fn entry(entry: &Entry) -> String {
    let object = clean(&entry.object.to_string());
    let source = if entry.source.is_empty() { String::new() } else { format!("{}: ", entry.source) };
    let lines: String = entry.findings.iter().map(line).collect();
    format!("{source}{object}\n{lines}")
}

fn line(judged: &Judged) -> String {
    let (at, said) = (clean(&judged.finding.at.to_string()), sentence(&judged.finding, Names::All));
    let at = if at.is_empty() { at } else { format!("{at}: ") };
    format!("  {:<4}  {at}{said}\n", judged.action.to_string().to_lowercase())
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
