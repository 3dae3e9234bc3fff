//! The namespaces from which objects may attach to listeners, as the view stores them.

use std::fmt;

use super::NamespaceFacts;
use crate::kinds::label_selector::{LabelSelector, NAMESPACE_NAME, Requirement};
use crate::kinds::listener::FromNamespaces;

/// The namespaces from which objects may attach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedNamespaces {
    /// No namespace.
    None,
    /// The namespace of the object with the listeners.
    Same,
    /// Every namespace.
    All,
    /// The namespaces with matching labels. An invalid selector selects none.
    Selector(SelectorFacts),
    /// A value that Portcullis does not know.
    Unknown,
}

impl AllowedNamespaces {
    /// The value of the field, or `default` if it is absent.
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

/// A label selector with the semantics of the Kubernetes API: one without requirements selects everything, and an
/// absent or invalid one selects nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SelectorFacts {
    /// The requirements; `None` if the selector is missing or invalid.
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

    /// Whether it selects the namespace `name` with these labels; `None` if the result depends on unknown labels.
    pub fn selects(&self, name: &str, known: Option<&NamespaceFacts>) -> Option<bool> {
        let Some(requirements) = &self.requirements else { return Some(false) };
        let holds = |needed: &Needed| match needed.key() {
            NAMESPACE_NAME => Some(needed.holds(Some(name))),
            key => known.map(|namespace| needed.holds(namespace.label(key))),
        };
        let mut answers = requirements.iter().map(holds);
        // One requirement that does not hold decides, even if others depend on unknown labels.
        answers
            .try_fold(Some(true), |so_far, holds| match holds {
                Some(false) => Err(()),
                Some(true) => Ok(so_far),
                None => Ok(None),
            })
            .unwrap_or(Some(false))
    }
}

/// The selected namespaces in the notation of `kubectl get --selector`, such as `only namespaces with tenant=shop,!retired`.
impl fmt::Display for SelectorFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.requirements.as_deref() {
            None => write!(f, "no namespace, because its selector is missing or invalid"),
            Some([]) => write!(f, "all namespaces"),
            Some(requirements) => {
                let texts: Vec<String> = requirements.iter().map(Needed::to_string).collect();
                write!(f, "only namespaces with {}", texts.join(","))
            }
        }
    }
}

impl fmt::Display for Needed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::In(key, values) if values.len() == 1 => write!(f, "{key}={}", values.join(",")),
            Self::In(key, values) => write!(f, "{key} in ({})", values.join(",")),
            Self::NotIn(key, values) if values.len() == 1 => write!(f, "{key}!={}", values.join(",")),
            Self::NotIn(key, values) => write!(f, "{key} notin ({})", values.join(",")),
            Self::Exists(key) => write!(f, "{key}"),
            Self::DoesNotExist(key) => write!(f, "!{key}"),
        }
    }
}

impl Needed {
    fn key(&self) -> &str {
        match self {
            Self::In(key, _) | Self::NotIn(key, _) | Self::Exists(key) | Self::DoesNotExist(key) => key,
        }
    }

    /// Whether the requirement holds for this value of the label; `None` for a namespace without the label.
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
