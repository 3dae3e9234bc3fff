//! Selects the findings that a report shows.

use std::collections::BTreeSet;

use super::catalog::CatalogEntry;
use super::catalog::unknown_id;
use super::{ObjectFindings, Report, UnreadDocument, first_names};
use crate::checks::registry;
use crate::config::Theme;
use crate::finding::Action;
use crate::kinds::ObjectRef;
use crate::names::{closest, glob};

/// The filter of a report. A finding must satisfy each condition that is set, and one of the values of the condition.
#[derive(Debug, Clone, Default)]
pub struct FindingFilter {
    /// Ids of checks, or families as `family/*`.
    pub checks: Vec<String>,
    /// Themes of checks.
    pub themes: Vec<Theme>,
    /// Actions.
    pub actions: Vec<Action>,
    /// Namespaces of the objects. A trailing `*` matches anything.
    pub namespaces: Vec<String>,
}

impl FindingFilter {
    /// Fails if an id is that of no check.
    pub fn validate(&self) -> Result<(), String> {
        for pattern in &self.checks {
            let is_known = registry::all().any(|check| glob(pattern, check.id));
            if !is_known {
                return Err(unknown_id(pattern));
            }
        }
        Ok(())
    }

    /// Fails if a namespace is not among those that exist.
    pub fn validate_namespaces(&self, existing: &BTreeSet<String>) -> Result<(), String> {
        let is_unknown = |pattern: &&String| !existing.iter().any(|namespace| glob(pattern, namespace));
        match self.namespaces.iter().find(is_unknown) {
            Some(pattern) => Err(namespace_not_found(pattern, existing)),
            None => Ok(()),
        }
    }

    fn selects(&self, check: &str, action: Action) -> bool {
        let theme = || CatalogEntry::find(check).and_then(|entry| entry.theme());
        (self.checks.is_empty() || self.checks.iter().any(|pattern| glob(pattern, check)))
            && (self.actions.is_empty() || self.actions.contains(&action))
            && (self.themes.is_empty() || theme().is_some_and(|theme| self.themes.contains(&theme)))
    }

    fn selects_namespace(&self, namespace: &str) -> bool {
        self.namespaces.is_empty() || self.namespaces.iter().any(|pattern| glob(pattern, namespace))
    }

    fn apply(&self, entry: &mut ObjectFindings) {
        entry.findings.retain(|finding| self.selects(finding.evaluated.finding.check, finding.evaluated.action));
        entry.omitted_findings.retain(|omitted| self.selects(omitted.check, omitted.action));
    }
}

/// The error for a namespace that is not among those that exist: suggests a similar one, or lists them.
pub fn namespace_not_found(pattern: &str, existing: &BTreeSet<String>) -> String {
    let named = || existing.iter().map(String::as_str).filter(|namespace| !namespace.is_empty());
    let hint = match closest(pattern, named()) {
        Some(similar) => format!("did you mean `{similar}`?"),
        None if named().next().is_none() => "no object has a namespace".to_owned(),
        None => format!("namespaces are {}", first_names(named())),
    };
    format!("namespace `{pattern}` not found; {hint}")
}

impl Report {
    /// Removes the findings that the filter does not select, and the objects of other namespaces, including those that are not read. What
    /// is not read and is in no namespace, or in an unknown one, stays. Counts the denials among the findings.
    pub fn retain(&mut self, filter: &FindingFilter) {
        self.entries.retain(|entry| filter.selects_namespace(&entry.object.namespace));
        let namespace = |unread: &UnreadDocument| unread.object.as_ref().map_or("", ObjectRef::of_namespace).to_owned();
        self.unread.retain(|unread| match namespace(unread) {
            unknown if unknown.is_empty() => true,
            namespace => filter.selects_namespace(&namespace),
        });
        let (denials, refused) = (self.count(Action::Deny), self.refused());
        self.entries.iter_mut().for_each(|entry| filter.apply(entry));
        self.hidden_denials += denials - self.count(Action::Deny);
        // What the other filters leave out is not judged; what is not shown is.
        if !filter.actions.is_empty() {
            self.hidden_refused += refused - self.refused();
        }
    }
}
