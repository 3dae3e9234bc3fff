//! Generates `docs/checks.md`, which lists checks and defaulters with one section for each family.

use std::collections::BTreeMap;

use super::{CatalogEntry, list};
use crate::checks::Check;
use crate::config::Theme;

const HEAD: &str = "\
# The checks

What each check finds, the release in which it came, and its action in each profile. `portcullis checks show ID` prints
the page of a check, `portcullis checks list` filters this list, and [messages.md](messages.md) has every message. Of a check with
`Deny*` some findings only warn, as an example on its page shows. `just docs` writes this file.

";

const TABLE: &str = "\
| check | finds | theme | since | `audit` | `baseline` | `restricted` | `kep-758` |
|---|---|---|---|---|---|---|---|
";

const DEFAULTS: &str = "
## What is filled in

By `/mutate`, in objects that are created: Ingresses, Gateways (`gateway/*`) and HTTPProxies (`http-proxy/*`). With the profile `audit`, only
what `defaults` names in the configuration is filled in.

| default | fills in | on by default |
|---|---|---|
";

/// A section for each family of the checks among `entries`, then a section for the defaulters.
pub fn text(entries: &[CatalogEntry]) -> String {
    let families = families(entries);
    let links: Vec<String> =
        families.iter().map(|(family, checks)| format!("[{family}](#{family}) {}", checks.len())).collect();
    let mut text = format!("{HEAD}Checks by family: {}.\n", links.join(", "));
    for (family, checks) in &families {
        text += &format!("\n## {family}\n\n{TABLE}");
        text.extend(
            checks
                .iter()
                .map(|(entry, check)| format!("{} {} |\n", cells(entry), list::columns(entry, check).join(" | "))),
        );
    }
    let defaulters = entries.iter().filter_map(|entry| match entry {
        CatalogEntry::Defaulter(defaulter) => Some(format!("{} {} |\n", cells(entry), list::is_on(defaulter.enabled))),
        CatalogEntry::Check(_) => None,
    });
    let defaulters: String = defaulters.collect();
    if defaulters.is_empty() { text } else { text + DEFAULTS + &defaulters }
}

type Family<'e> = (&'static str, Vec<(&'e CatalogEntry, &'static Check)>);

/// The checks by family. `host` comes first, then the families with checks of conflicts or tenancy, then the others.
fn families(entries: &[CatalogEntry]) -> Vec<Family<'_>> {
    let mut families: BTreeMap<&'static str, Vec<(&CatalogEntry, &'static Check)>> = BTreeMap::new();
    for entry in entries {
        if let CatalogEntry::Check(check) = entry {
            families.entry(entry.family()).or_default().push((entry, check));
        }
    }
    let mut families: Vec<Family<'_>> = families.into_iter().collect();
    families.sort_by_key(|(family, _)| (*family != "host", !is_about_others(family)));
    families
}

/// Whether the family has checks of conflicts or tenancy.
fn is_about_others(family: &str) -> bool {
    let is_one = |entry: CatalogEntry| {
        entry.family() == family && matches!(entry.theme(), Some(Theme::Conflict | Theme::Tenancy))
    };
    CatalogEntry::all().any(is_one)
}

/// The first two cells of a row: the id with a link to its page, and the title of the page.
fn cells(entry: &CatalogEntry) -> String {
    let title = entry.title().replace('|', "\\|");
    format!("| [`{}`](../crates/portcullis-core/src/{}) | {title} |", entry.id(), entry.file())
}
