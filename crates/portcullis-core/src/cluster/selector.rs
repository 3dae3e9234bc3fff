//! Evaluates selectors of the configuration, as far as the cluster is known.

use std::collections::BTreeMap;

use super::label_match::{all_known, any_known, labels_match};
use super::{Lookup, Overlay};
use crate::config::{Match, NamespaceSelector};
use crate::kinds::Kind;
use crate::kinds::ingress::Classes;
use crate::names::glob;

/// The properties of a write that a [`Match`] selects by.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'s> {
    /// The kind of the object.
    pub kind: Kind,
    /// The effective class of an Ingress.
    pub class: Option<&'s str>,
    /// The object's namespace, empty for cluster-scoped kinds.
    pub namespace: &'s str,
    /// The user who writes; `None` in offline commands.
    pub user: Option<User<'s>>,
}

/// The user who writes.
#[derive(Debug, Clone, Copy)]
pub struct User<'u> {
    /// The name.
    pub name: &'u str,
    /// The groups, if the configuration uses any.
    pub groups: &'u [String],
    /// Further attributes from the authenticator, if the configuration uses them.
    pub extra: &'u Extra,
}

/// `userInfo.extra`: values by key.
pub type Extra = BTreeMap<String, Vec<String>>;

impl<'u> User<'u> {
    /// Returns a user of whom only the name is known.
    pub fn named(name: &'u str) -> Self {
        const NOTHING: &Extra = &Extra::new();
        Self { name, groups: &[], extra: NOTHING }
    }

    /// Whether `selector` matches this user.
    fn is_selected(&self, selector: &Match) -> bool {
        let matches_any = |patterns: &[String], text: &str| patterns.iter().any(|pattern| glob(pattern, text));
        let has_extra = |(key, values): (&String, &Vec<String>)| {
            self.extra.get(key).is_some_and(|own| own.iter().any(|value| matches_any(values, value)))
        };
        (selector.users.is_empty() || matches_any(&selector.users, self.name))
            && (selector.groups.is_empty() || self.groups.iter().any(|group| matches_any(&selector.groups, group)))
            && selector.extra.iter().all(has_extra)
    }
}

impl Overlay<'_> {
    /// Whether `selector` matches this write in at least one class that may serve the object; `None` if the result depends
    /// on unknown labels.
    pub fn matches_in_any(&self, classes: &Classes<'_>, selector: &Match, subject: &Subject<'_>) -> Option<bool> {
        any_known(classes.iter().map(|class| self.matches(selector, &Subject { class, ..*subject })))
    }

    /// Whether `selector` matches this write in every class that may serve the object; `None` if the result depends on
    /// unknown labels.
    pub fn matches_in_all(&self, classes: &Classes<'_>, selector: &Match, subject: &Subject<'_>) -> Option<bool> {
        all_known(classes.iter().map(|class| self.matches(selector, &Subject { class, ..*subject })))
    }

    /// Whether `selector` matches this write; `None` if the result depends on unknown labels.
    pub fn matches(&self, selector: &Match, subject: &Subject<'_>) -> Option<bool> {
        let class = |class: &str| selector.ingress_classes.iter().any(|wanted| wanted == class);
        let kind = || selector.kinds.iter().any(|wanted| wanted == subject.kind.api().kind);
        let certain = (selector.kinds.is_empty() || kind())
            && (selector.ingress_classes.is_empty() || subject.class.is_some_and(class))
            && (!selector.needs_user() || subject.user.is_some_and(|user| user.is_selected(selector)));
        match &selector.namespaces {
            Some(namespaces) if certain => self.selects(namespaces, subject.namespace),
            _ => Some(certain),
        }
    }

    /// Whether `selector` selects `namespace`, by name or by labels; `None` if the result depends on unknown labels.
    pub fn selects(&self, selector: &NamespaceSelector, namespace: &str) -> Option<bool> {
        let is_named = |patterns: &[String]| patterns.iter().any(|pattern| glob(pattern, namespace));
        if is_named(&selector.not_names) {
            return Some(false);
        }
        if is_named(&selector.names) {
            return Some(true);
        }
        if !selector.needs_labels() || namespace.is_empty() {
            return Some(selector.names.is_empty() && !selector.not_names.is_empty() && !namespace.is_empty());
        }
        // The namespace of a write exists, or will exist before the write: if it is absent, its labels are not known yet.
        let known = match self.namespace(namespace) {
            Lookup::Found(facts) => Some(facts),
            Lookup::Absent | Lookup::Unknown => None,
        };
        labels_match(selector.label_conditions(), namespace, known)
    }
}
