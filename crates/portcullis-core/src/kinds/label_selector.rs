//! `metav1.LabelSelector` with its well-formed parts, and the first unknown field.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::{Entries, Text, null_is_default, text_or_empty};
use crate::kinds::shape::maps_only;

/// The label that the API server sets on each namespace and that users cannot change: the name of the namespace.
pub const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

/// A selector over labels. All of its requirements must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelSelector<'a> {
    /// Labels with their required values.
    pub match_labels: Entries<'a>,
    /// Further requirements.
    pub match_expressions: Vec<Requirement<'a>>,
    /// The first unknown field. In early drafts of the Gateway API, the labels themselves were at this level.
    pub stray: Option<Text<'a>>,
}

impl LabelSelector<'_> {
    /// The keys of all requirements.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let labels = self.match_labels.iter().map(|(key, _)| key);
        labels.chain(self.match_expressions.iter().map(|requirement| &*requirement.key))
    }
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

impl<'de: 'a, 'a> Deserialize<'de> for LabelSelector<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SelectorVisitor;
        impl<'de> Visitor<'de> for SelectorVisitor {
            type Value = LabelSelector<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut selector = LabelSelector::default();
                while let Some(key) = map.next_key::<Text<'de>>()? {
                    match &*key {
                        "matchLabels" => selector.match_labels = map.next_value()?,
                        "matchExpressions" => {
                            selector.match_expressions = map.next_value::<Option<_>>()?.unwrap_or_default();
                        }
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            selector.stray.get_or_insert(key);
                        }
                    }
                }
                Ok(selector)
            }
        }
        deserializer.deserialize_map(SelectorVisitor)
    }
}

maps_only!(Requirement);
