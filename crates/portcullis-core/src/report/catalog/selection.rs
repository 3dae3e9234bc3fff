//! Which checks and defaulters a list shows.

use super::{Entry, unknown_family};
use crate::checks::Profile;
use crate::config::Theme;
use crate::finding::Action;

/// Which checks and defaulters a list shows: those of which all that is given holds.
#[derive(Debug, Clone, Default)]
pub struct EntryFilter {
    /// Only this family.
    pub family: Option<String>,
    /// Only checks of this theme.
    pub theme: Option<Theme>,
    /// Only checks that have this action in this profile.
    pub action: Option<(Action, Profile)>,
    /// Only where the id, the title or the page without its example objects has this text.
    pub text: Option<String>,
}

impl EntryFilter {
    /// What is selected, checks first; an error where nothing is.
    pub fn entries(&self) -> Result<Vec<Entry>, String> {
        if let Some(family) =
            self.family.as_deref().filter(|family| Entry::all().all(|entry| entry.family() != *family))
        {
            return Err(unknown_family(family));
        }
        let entries: Vec<Entry> = Entry::all().filter(|entry| self.matches(entry)).collect();
        if entries.is_empty() { Err("no check matches all filters".to_owned()) } else { Ok(entries) }
    }

    fn matches(&self, entry: &Entry) -> bool {
        self.family.as_deref().is_none_or(|family| entry.family() == family)
            && self.theme.is_none_or(|theme| entry.theme() == Some(theme))
            && self.action.is_none_or(|(action, profile)| action_of(entry, profile) == Some(action))
            && self.text.as_deref().is_none_or(|text| searched(entry).contains(&normalized(text)))
    }
}

/// The action of a check; a defaulter has none.
fn action_of(entry: &Entry, profile: Profile) -> Option<Action> {
    match entry {
        Entry::Check(check) => Some(check.actions.of(profile)),
        Entry::Defaulter(_) => None,
    }
}

/// The text of a page that is searched: its prose and the messages that it shows, without example objects and configurations.
fn searched(entry: &Entry) -> String {
    let mut is_example = false;
    let lines = entry.page().lines().filter(|line| {
        if let Some(block) = line.strip_prefix("```") {
            is_example = !is_example && block.starts_with("yaml");
        }
        !is_example && !line.starts_with("```")
    });
    normalized(&lines.collect::<Vec<_>>().join(" "))
}

/// The text in lower case with single blanks, so that neither case nor line breaks hide a match.
fn normalized(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
