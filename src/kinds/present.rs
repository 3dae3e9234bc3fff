//! A field of which only the presence matters.

use serde::de::{Deserialize, Deserializer, IgnoredAny};

/// Whether a field is there, with whatever value but `null`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Present(pub bool);

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<IgnoredAny>::deserialize(deserializer).map(|value| Self(value.is_some()))
    }
}
