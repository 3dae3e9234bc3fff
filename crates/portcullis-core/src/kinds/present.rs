//! Fields whose presence matters.

use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, IgnoredAny};

/// Whether a field is present with any value except `null`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Present(pub bool);

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<IgnoredAny>::deserialize(deserializer).map(|value| Self(value.is_some()))
    }
}

/// The names of the fields that are present.
pub(super) fn present_names<const N: usize>(
    fields: [(&'static str, Present); N],
) -> impl Iterator<Item = &'static str> + use<N> {
    fields.into_iter().filter(|(_, present)| present.0).map(|(name, _)| name)
}

/// A list that distinguishes between absent and empty, since the API has a default for an absent list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionalList<T>(Option<Vec<T>>);

impl<T> OptionalList<T> {
    /// Whether the list is present and not `null`.
    pub fn is_written(&self) -> bool {
        self.0.is_some()
    }
}

impl<T> Default for OptionalList<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Deref for OptionalList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OptionalList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self)
    }
}
