//! Whether a selector of the configuration means a write, as far as the cluster is known.

use std::collections::BTreeMap;

use super::{Lookup, Overlay};
use crate::config::{Match, NamespaceSelector};
use crate::kinds::ingress::Classes;
use crate::names::glob;

/// What a [`Match`] is held against.
#[derive(Debug, Clone, Copy, Default)]
pub struct Subject<'s> {
    /// The effective class of an Ingress.
    pub class: Option<&'s str>,
    /// The object's namespace, empty for cluster-scoped kinds.
    pub namespace: &'s str,
    /// The user who writes; nobody in the offline doors.
    pub user: Option<User<'s>>,
}

/// Who writes.
#[derive(Debug, Clone, Copy)]
pub struct User<'u> {
    /// The name.
    pub name: &'u str,
    /// The groups, where the configuration asks for any.
    pub groups: &'u [String],
    /// What else the authenticator says, where the configuration asks for it.
    pub extra: &'u Extra,
}

/// `userInfo.extra`: values by key.
pub type Extra = BTreeMap<String, Vec<String>>;

impl<'u> User<'u> {
    /// A user of whom nothing but the name is known.
    pub fn named(name: &'u str) -> Self {
        const NOTHING: &Extra = &Extra::new();
        Self { name, groups: &[], extra: NOTHING }
    }

    /// Whether `only` means this user.
    fn is_of(&self, only: &Match) -> bool {
        let any = |patterns: &[String], text: &str| patterns.iter().any(|pattern| glob(pattern, text));
        let says = |(key, values): (&String, &Vec<String>)| {
            self.extra.get(key).is_some_and(|said| said.iter().any(|value| any(values, value)))
        };
        (only.users.is_empty() || any(&only.users, self.name))
            && (only.groups.is_empty() || self.groups.iter().any(|group| any(&only.groups, group)))
            && only.extra.iter().all(says)
    }
}

impl Overlay<'_> {
    /// Whether `only` means this write in one of the classes that may serve the object; `None` where that hangs on labels that are not known.
    pub fn matches_in_any(&self, classes: &Classes<'_>, only: &Match, subject: &Subject<'_>) -> Option<bool> {
        any(classes.iter().map(|class| self.matches(only, &Subject { class, ..*subject })))
    }

    /// Whether `only` means this write in each of them, alike.
    pub fn matches_in_all(&self, classes: &Classes<'_>, only: &Match, subject: &Subject<'_>) -> Option<bool> {
        let is_left = |class| Some(!self.matches(only, &Subject { class, ..*subject })?);
        Some(!any(classes.iter().map(is_left))?)
    }

    /// Whether `only` means this write; `None` where that hangs on labels that are not known.
    pub fn matches(&self, only: &Match, subject: &Subject<'_>) -> Option<bool> {
        let class = |class: &str| only.ingress_classes.iter().any(|wanted| wanted == class);
        let certain = (only.ingress_classes.is_empty() || subject.class.is_some_and(class))
            && (!only.needs_user() || subject.user.is_some_and(|user| user.is_of(only)));
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

/// Whether one of the answers is yes; `None` where that hangs on one that is not known.
fn any(mut answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let known = answers.try_fold(Some(false), |so_far, answer| match answer {
        Some(true) => Err(()),
        Some(false) => Ok(so_far),
        None => Ok(None),
    });
    known.unwrap_or(Some(true))
}
