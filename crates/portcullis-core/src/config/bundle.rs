//! The release of the Gateway API that is assumed if no API server reports one.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de::Error};

/// A release of the CRDs of the Gateway API, and its channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GatewayBundle {
    /// The release, such as `1.6`.
    ///
    /// ```yaml
    /// gatewayBundle: {version: 1.5}
    /// ```
    pub version: BundleVersion,
    /// The channel.
    ///
    /// ```yaml
    /// gatewayBundle: {version: 1.6, channel: experimental}
    /// ```
    #[serde(default)]
    pub channel: BundleChannel,
}

/// The release channel of the CRDs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BundleChannel {
    /// Stable fields and kinds only.
    #[default]
    Standard,
    /// Stable and experimental fields and kinds.
    Experimental,
}

/// The major and minor number of a release. Patch releases do not change any rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BundleVersion(pub u16, pub u16);

impl BundleVersion {
    /// The release that a text such as `1.6`, `1.6.3` or `v1.6.3` names.
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.strip_prefix('v').unwrap_or(text).split('.');
        let (major, minor) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
        Some(Self(major, minor))
    }
}

impl<'de> Deserialize<'de> for BundleVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text)
            .ok_or_else(|| D::Error::custom(format!("`{text}` is not a valid release: use a form such as 1.6")))
    }
}

impl JsonSchema for BundleVersion {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "BundleVersion".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "number"], "pattern": r"^v?[0-9]+\.[0-9]+(\..*)?$"})
    }
}
