//! `metav1.LabelSelector`, as far as it is well-formed and what it selects.

use serde::Deserialize;

use super::{Entries, Text, null_is_default, text_or_empty};
use crate::kinds::shape::maps_only;

/// A selector over labels: all of its parts must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct LabelSelector<'a> {
    /// Labels and the values that they must have.
    #[serde(borrow)]
    pub match_labels: Entries<'a>,
    /// Further requirements.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub match_expressions: Vec<Requirement<'a>>,
}

/// One requirement of a selector.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct Requirement<'a> {
    /// The label.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub key: Text<'a>,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`, as written.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub operator: Text<'a>,
    /// The values of `In` and `NotIn`.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub values: Vec<Text<'a>>,
}

maps_only!(LabelSelector, Requirement);
