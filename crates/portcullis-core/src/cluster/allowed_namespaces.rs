//! The namespaces from which objects may attach to listeners, as the view stores them.

use std::fmt;

use super::NamespaceFacts;
use super::label_match::labels_match;
use crate::config::{LabelCondition, LabelOperator, LabelRequirement};
use crate::kinds::label_selector::{LabelSelector, Requirement};
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
    requirements: Option<Box<[LabelRequirement]>>,
}

impl SelectorFacts {
    fn of(selector: &LabelSelector<'_>) -> Self {
        let equal = |(key, value): (&str, &str)| LabelRequirement {
            key: key.to_owned(),
            operator: LabelOperator::In,
            values: vec![value.to_owned()],
        };
        let labels = selector.match_labels.iter().map(|entry| Some(equal(entry)));
        Self { requirements: labels.chain(selector.match_expressions.iter().map(requirement)).collect() }
    }

    /// Whether it selects the namespace `name` with these labels; `None` if the result depends on unknown labels.
    pub fn selects(&self, name: &str, known: Option<&NamespaceFacts>) -> Option<bool> {
        let Some(requirements) = &self.requirements else { return Some(false) };
        labels_match(requirements.iter().map(LabelCondition::Requirement), name, known)
    }
}

/// The same requirement; `None` if it is invalid.
fn requirement(written: &Requirement<'_>) -> Option<LabelRequirement> {
    let operator = LabelOperator::named(&written.operator)?;
    let values: Vec<String> = written.values.iter().map(|value| (**value).to_owned()).collect();
    let is_valid = operator.takes_values() != values.is_empty();
    is_valid.then(|| LabelRequirement { key: (*written.key).to_owned(), operator, values })
}

/// The selected namespaces in the notation of `kubectl get --selector`, such as `only namespaces with tenant=shop,!retired`.
impl fmt::Display for SelectorFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.requirements.as_deref() {
            None => write!(f, "no namespace, because its selector is missing or invalid"),
            Some([]) => write!(f, "all namespaces"),
            Some(requirements) => {
                let texts: Vec<String> = requirements.iter().map(ToString::to_string).collect();
                write!(f, "only namespaces with {}", texts.join(","))
            }
        }
    }
}
