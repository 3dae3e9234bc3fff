//! What options of checks are made of.

use regex::Regex;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer};

use super::NamespaceSelector;
use crate::names::glob;

/// Sets of characters that a path may hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Charset {
    /// RFC 3986 path characters and valid `%HH` triplets.
    #[default]
    Rfc3986,
    /// Letters, digits and `. _ - ~ : @ % /` only: nothing that a proxy's configuration language reads.
    NginxSafe,
}

/// How dangerous an annotation is, after the table that ingress-nginx published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, JsonSchema)]
pub enum Risk {
    /// Tunes a number or a switch.
    Low,
    /// Shapes traffic.
    Medium,
    /// Names other hosts or reaches into the proxy's configuration.
    High,
    /// Is configuration.
    Critical,
}

impl Risk {
    /// Every risk, the lowest first.
    pub const ALL: [Self; 4] = [Self::Low, Self::Medium, Self::High, Self::Critical];

    /// The risk's name in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "Low",
            Self::Medium => "Medium",
            Self::High => "High",
            Self::Critical => "Critical",
        }
    }
}

/// An annotation that is not wanted.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnnotationRule {
    /// The key; a trailing `*` stands for anything.
    pub key: String,
    /// A pattern (syntax of the `regex` crate, unanchored) that a value must match to be unwanted; without one every value is.
    #[serde(default)]
    pub value: Option<ConfigRegex>,
}

impl AnnotationRule {
    /// Whether this annotation is the unwanted one.
    pub fn holds(&self, key: &str, value: &str) -> bool {
        glob(&self.key, key) && self.value.as_ref().is_none_or(|pattern| pattern.0.is_match(value))
    }
}

/// A regular expression that takes linear time on any input.
#[derive(Debug, Clone)]
pub struct ConfigRegex(pub Regex);

impl<'de> Deserialize<'de> for ConfigRegex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Regex::new(&text).map(Self).map_err(|_| de::Error::custom(format!("`{text}` is not a regular expression")))
    }
}

impl JsonSchema for ConfigRegex {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ConfigRegex".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "regex"})
    }
}

/// A class and the namespaces that may use it.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClassRule {
    /// The class.
    pub class: String,
    /// Who may use it.
    pub namespaces: NamespaceSelector,
}
