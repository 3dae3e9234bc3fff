//! Fields of which the presence matters.

use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, IgnoredAny};

/// Whether a field is there, with whatever value but `null`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Present(pub bool);

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<IgnoredAny>::deserialize(deserializer).map(|value| Self(value.is_some()))
    }
}

/// A list of which it matters whether it is written, be it empty, since the API fills in one that is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written<T>(Option<Vec<T>>);

impl<T> Written<T> {
    /// Whether it is there, and not `null`.
    pub fn is_written(&self) -> bool {
        self.0.is_some()
    }
}

impl<T> Default for Written<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Deref for Written<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Written<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self)
    }
}
