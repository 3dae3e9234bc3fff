//! Selects the checks and defaulters that a list shows.

use super::{CatalogEntry, unknown_family};
use crate::checks::Profile;
use crate::config::Theme;
use crate::finding::Action;

/// The filter of a list. An entry must satisfy all conditions that are set.
#[derive(Debug, Clone, Default)]
pub struct EntryFilter {
    /// The family of the id.
    pub family: Option<String>,
    /// The theme of a check.
    pub theme: Option<Theme>,
    /// The action of a check in a profile.
    pub action: Option<(Action, Profile)>,
    /// A text in the id, the title or the page without its example objects.
    pub text: Option<String>,
}

impl EntryFilter {
    /// The selected entries, checks first; an error if there are none.
    pub fn entries(&self) -> Result<Vec<CatalogEntry>, String> {
        if let Some(family) =
            self.family.as_deref().filter(|family| CatalogEntry::all().all(|entry| entry.family() != *family))
        {
            return Err(unknown_family(family));
        }
        let entries: Vec<CatalogEntry> = CatalogEntry::all().filter(|entry| self.matches(entry)).collect();
        if entries.is_empty() { Err("no check matches all filters".to_owned()) } else { Ok(entries) }
    }

    fn matches(&self, entry: &CatalogEntry) -> bool {
        self.family.as_deref().is_none_or(|family| entry.family() == family)
            && self.theme.is_none_or(|theme| entry.theme() == Some(theme))
            && self.action.is_none_or(|(action, profile)| action_of(entry, profile) == Some(action))
            && self.text.as_deref().is_none_or(|text| searched(entry).contains(&normalized(text)))
    }
}

/// The action of a check; `None` for a defaulter.
fn action_of(entry: &CatalogEntry, profile: Profile) -> Option<Action> {
    match entry {
        CatalogEntry::Check(check) => Some(check.actions.of(profile)),
        CatalogEntry::Defaulter(_) => None,
    }
}

/// The searchable text of a page: its prose and the messages in it, without example objects and configurations.
fn searched(entry: &CatalogEntry) -> String {
    let mut is_example = false;
    let lines = entry.page().lines().filter(|line| {
        if let Some(block) = line.strip_prefix("```") {
            is_example = !is_example && block.starts_with("yaml");
        }
        !is_example && !line.starts_with("```")
    });
    normalized(&lines.collect::<Vec<_>>().join(" "))
}

/// The text in lower case with single spaces, so that case and line breaks do not affect the search.
fn normalized(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
