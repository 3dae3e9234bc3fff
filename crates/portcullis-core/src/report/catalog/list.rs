//! Lists checks and defaulters for a terminal: two lines each, the action and what it is about.

use super::CatalogEntry;
use crate::checks::{Check, Profile};
use crate::finding::Action;

/// What the titles begin with.
const INDENT: &str = "    ";
/// The maximum length of a line with a title.
const WIDTH: usize = 100;

/// The checks among `entries`, then the defaulters, each with a heading.
pub fn text(entries: &[CatalogEntry]) -> String {
    let widest = entries.iter().map(|entry| entry.id().len()).max().unwrap_or_default();
    let checks = entries.iter().filter_map(|entry| match entry {
        CatalogEntry::Check(check) => Some(row(entry, widest, &actions(entry, check))),
        CatalogEntry::Defaulter(_) => None,
    });
    let defaulters = entries.iter().filter_map(|entry| match entry {
        CatalogEntry::Defaulter(defaulter) => {
            Some(row(entry, widest, if defaulter.enabled { "on by default" } else { "off by default" }))
        }
        CatalogEntry::Check(_) => None,
    });
    let checks = table("Checks, with the action in the profile baseline, and in the others where it differs", checks);
    let defaulters = table("Defaults", defaulters);
    let has_lowered = entries.iter().any(CatalogEntry::may_only_warn);
    let legend = has_lowered
        .then(|| format!("{LOWERED} some of its findings only warn; `portcullis checks show ID` has an example.\n"));
    [checks, legend, defaulters].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// Marks a check that denies, but of which some findings only warn.
pub(super) const LOWERED: &str = "*";

/// The action in `baseline`, and in each other profile where it differs. `audit` never denies, which is not repeated.
fn actions(entry: &CatalogEntry, check: &Check) -> String {
    let baseline = check.actions.of(Profile::Baseline);
    let others = [Profile::Restricted, Profile::Kep758].into_iter().map(|profile| (profile, check.actions.of(profile)));
    let others = others.filter(|(_, action)| *action != baseline);
    let others: Vec<String> = others.map(|(profile, action)| format!("{} {action}", profile.name())).collect();
    let mark = if entry.may_only_warn() { LOWERED } else { "" };
    format!("{:<6} {}", format!("{baseline}{mark}"), others.join(", "))
}

/// The columns of the Markdown table after the title: the theme, the release that introduced the check, and its actions.
pub(super) fn columns(entry: &CatalogEntry, check: &Check) -> [String; 6] {
    let mark = |action: Action| match action {
        Action::Deny if entry.may_only_warn() => format!("{action}\\{LOWERED}"),
        _ => action.to_string(),
    };
    let [audit, baseline, restricted, kep_758] = Profile::ALL.map(|profile| mark(check.actions.of(profile)));
    [check.theme.name().to_owned(), check.since.to_string(), audit, baseline, restricted, kep_758]
}

/// The text of the column that shows whether a defaulter is on by default.
pub(super) const fn is_on(enabled: bool) -> &'static str {
    if enabled { "yes" } else { "no" }
}

/// A heading with its rows; `None` without rows.
fn table(head: &str, rows: impl Iterator<Item = String>) -> Option<String> {
    let rows: String = rows.collect();
    (!rows.is_empty()).then(|| format!("{head}\n\n{rows}"))
}

fn row(entry: &CatalogEntry, widest: usize, words: &str) -> String {
    let first = format!("{:<widest$}  {words}", entry.id());
    format!("{}\n{}", first.trim_end(), wrapped(&entry.title()))
}

/// A text in indented lines.
fn wrapped(text: &str) -> String {
    let (mut lines, mut line) = (String::new(), INDENT.to_owned());
    for word in text.split_whitespace() {
        if line.len() + word.len() + 1 > WIDTH && line.len() > INDENT.len() {
            lines += &format!("{}\n", line.trim_end());
            line = INDENT.to_owned();
        }
        line += word;
        line.push(' ');
    }
    lines + line.trim_end() + "\n"
}
