//! The topics of checks.

use schemars::JsonSchema;
use serde::Deserialize;

/// The topic of a check. The configuration can set the action of all checks of a theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// The object is invalid by itself.
    Shape,
    /// The object refers to something that does not exist.
    Reference,
    /// The object conflicts with another one.
    Conflict,
    /// The object claims something that belongs to another namespace.
    Tenancy,
    /// The object is valid, but not every platform allows it.
    Policy,
}

impl Theme {
    /// Every theme.
    pub const ALL: [Self; 5] = [Self::Shape, Self::Reference, Self::Conflict, Self::Tenancy, Self::Policy];

    /// The theme's name in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shape => "shape",
            Self::Reference => "reference",
            Self::Conflict => "conflict",
            Self::Tenancy => "tenancy",
            Self::Policy => "policy",
        }
    }
}
