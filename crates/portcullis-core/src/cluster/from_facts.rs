//! Which namespaces may attach something to listeners, as it is kept.

use super::NamespaceFacts;
use crate::kinds::label_selector::{LabelSelector, NAMESPACE_NAME, Requirement};
use crate::kinds::listener::FromNamespaces;

/// From which namespaces something may attach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum From {
    /// From none.
    None,
    /// From the object's own.
    Same,
    /// From every one.
    All,
    /// From those with these labels; an invalid selector selects none.
    Selector(SelectorFacts),
    /// Written in a way that nobody here knows.
    Unknown,
}

impl From {
    /// What is written, or `default` where nothing is.
    pub(super) fn of(namespaces: &FromNamespaces<'_>, default: Self) -> Self {
        match namespaces.from.as_deref() {
            None => default,
            Some("None") => Self::None,
            Some("Same") => Self::Same,
            Some("All") => Self::All,
            Some("Selector") => Self::Selector(namespaces.selector.as_ref().map(SelectorFacts::of).unwrap_or_default()),
            Some(_) => Self::Unknown,
        }
    }
}

/// A label selector as the Kubernetes API has them: one without requirements selects everything, one that is absent or invalid nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SelectorFacts {
    /// Each requirement, or `None` where there is no valid selector.
    requirements: Option<Box<[Needed]>>,
}

/// One requirement on the labels of a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Needed {
    In(Box<str>, Box<[Box<str>]>),
    NotIn(Box<str>, Box<[Box<str>]>),
    Exists(Box<str>),
    DoesNotExist(Box<str>),
}

impl SelectorFacts {
    fn of(selector: &LabelSelector<'_>) -> Self {
        let labels =
            selector.match_labels.iter().map(|(key, value)| Some(Needed::In(key.into(), [value.into()].into())));
        let expressions = selector.match_expressions.iter().map(Needed::of);
        Self { requirements: labels.chain(expressions).collect() }
    }

    /// Whether it selects the namespace `name` with these labels; `None` where that hangs on labels that are not known.
    pub fn selects(&self, name: &str, known: Option<&NamespaceFacts>) -> Option<bool> {
        let Some(requirements) = &self.requirements else { return Some(false) };
        let holds = |needed: &Needed| match needed.key() {
            NAMESPACE_NAME => Some(needed.holds(Some(name))),
            key => known.map(|namespace| needed.holds(namespace.label(key))),
        };
        let mut answers = requirements.iter().map(holds);
        // One that does not hold decides, whatever the others need to know.
        answers
            .try_fold(Some(true), |so_far, holds| match holds {
                Some(false) => Err(()),
                Some(true) => Ok(so_far),
                None => Ok(None),
            })
            .unwrap_or(Some(false))
    }
}

impl Needed {
    fn key(&self) -> &str {
        match self {
            Self::In(key, _) | Self::NotIn(key, _) | Self::Exists(key) | Self::DoesNotExist(key) => key,
        }
    }

    /// Whether a namespace with this value of the label, or without the label, is one of those that are needed.
    fn holds(&self, own: Option<&str>) -> bool {
        let is_among = |values: &[Box<str>]| own.is_some_and(|own| values.iter().any(|value| **value == *own));
        match self {
            Self::In(_, values) => is_among(values),
            Self::NotIn(_, values) => !is_among(values),
            Self::Exists(_) => own.is_some(),
            Self::DoesNotExist(_) => own.is_none(),
        }
    }

    fn of(requirement: &Requirement<'_>) -> Option<Self> {
        let key = Box::from(&*requirement.key);
        let values: Box<[Box<str>]> = requirement.values.iter().map(|value| Box::from(&**value)).collect();
        match (&*requirement.operator, values.is_empty()) {
            ("In", false) => Some(Self::In(key, values)),
            ("NotIn", false) => Some(Self::NotIn(key, values)),
            ("Exists", true) => Some(Self::Exists(key)),
            ("DoesNotExist", true) => Some(Self::DoesNotExist(key)),
            _ => None,
        }
    }
}
