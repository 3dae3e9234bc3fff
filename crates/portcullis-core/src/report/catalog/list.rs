//! Lists checks and defaulters as tables for a terminal.

use super::CatalogEntry;
use crate::checks::{Check, Profile};

/// A table of the checks among `entries`, then a table of the defaulters.
pub fn text(entries: &[CatalogEntry]) -> String {
    let widest = entries.iter().map(|entry| entry.id().len()).max().unwrap_or_default().max("default".len());
    let checks = entries.iter().filter_map(|entry| match entry {
        CatalogEntry::Check(check) => Some(row(check.id, widest, &columns(check), &entry.title())),
        CatalogEntry::Defaulter(_) => None,
    });
    let defaulters = entries.iter().filter_map(|entry| match entry {
        CatalogEntry::Defaulter(defaulter) => {
            Some(default_row(defaulter.id, widest, is_on(defaulter.enabled), &entry.title()))
        }
        CatalogEntry::Check(_) => None,
    });
    let head = ["theme", "since", "audit", "baseline", "restricted", "kep-758"].map(str::to_owned);
    let checks = table(row("check", widest, &head, ""), checks);
    let defaulters = table(default_row("default", widest, "enabled", ""), defaulters);
    [checks, defaulters].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// The columns after the id: the theme, the release that introduced the check, and its actions.
pub(super) fn columns(check: &Check) -> [String; 6] {
    let [audit, baseline, restricted, kep_758] = Profile::ALL.map(|profile| check.actions.of(profile).to_string());
    [check.theme.name().to_owned(), check.since.to_string(), audit, baseline, restricted, kep_758]
}

/// The text of the column that shows whether a defaulter is on by default.
pub(super) const fn is_on(enabled: bool) -> &'static str {
    if enabled { "yes" } else { "no" }
}

/// A heading with its rows; `None` without rows.
fn table(head: String, rows: impl Iterator<Item = String>) -> Option<String> {
    let rows: String = rows.collect();
    (!rows.is_empty()).then(|| head + &rows)
}

fn row(id: &str, widest: usize, columns: &[String; 6], title: &str) -> String {
    let [theme, since, audit, baseline, restricted, kep_758] = columns;
    let row = format!(
        "{id:<widest$}  {theme:<9}  {since:<5}  {audit:<5}  {baseline:<8}  {restricted:<10}  {kep_758:<7}  {title}"
    );
    format!("{}\n", row.trim_end())
}

fn default_row(id: &str, widest: usize, enabled: &str, title: &str) -> String {
    format!("{}\n", format!("{id:<widest$}  {enabled:<7}  {title}").trim_end())
}
