//! Whether a selector of the configuration means a write, as far as the cluster is known.

use super::{Lookup, Overlay};
use crate::config::{Match, NamespaceSelector, glob};

/// What a [`Match`] is held against.
#[derive(Debug, Clone, Copy, Default)]
pub struct Subject<'s> {
    /// The effective class of an Ingress.
    pub class: Option<&'s str>,
    /// The object's namespace, empty for cluster-scoped kinds.
    pub namespace: &'s str,
    /// The user who writes; nobody in the offline doors.
    pub user: Option<&'s str>,
    /// The user's groups.
    pub groups: &'s [String],
}

impl Overlay<'_> {
    /// Whether `only` means this write; `None` where that hangs on labels that are not known.
    pub fn matches(&self, only: &Match, subject: &Subject<'_>) -> Option<bool> {
        let class = |class: &str| only.ingress_classes.iter().any(|wanted| wanted == class);
        let user = |user: &str| only.users.iter().any(|pattern| glob(pattern, user));
        let group = |group: &String| only.groups.iter().any(|pattern| glob(pattern, group));
        let certain = (only.ingress_classes.is_empty() || subject.class.is_some_and(class))
            && (only.users.is_empty() || subject.user.is_some_and(user))
            && (only.groups.is_empty() || subject.groups.iter().any(group));
        match &only.namespaces {
            Some(selector) if certain => self.selects(selector, subject.namespace),
            _ => Some(certain),
        }
    }

    /// Whether `selector` means `namespace`, by name or by labels; `None` where that hangs on labels that are not known.
    pub fn selects(&self, selector: &NamespaceSelector, namespace: &str) -> Option<bool> {
        if selector.names.iter().any(|pattern| glob(pattern, namespace)) {
            return Some(true);
        }
        if !selector.needs_labels() || namespace.is_empty() {
            return Some(false);
        }
        match self.namespace(namespace) {
            Lookup::Found(facts) => Some(selector.labels.iter().all(|(key, value)| facts.label(key) == Some(value))),
            Lookup::Absent => Some(false),
            Lookup::Unknown => None,
        }
    }
}
