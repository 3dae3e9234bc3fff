//! The types of options of checks.

use regex::Regex;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer};

use super::NamespaceSelector;
use crate::names::{as_compared, glob, ignores_case};

/// The characters that a path may contain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Charset {
    /// RFC 3986 path characters and valid `%HH` triplets.
    #[default]
    Rfc3986,
    /// Letters, digits and `. _ - ~ : @ % /` only, none of which has a meaning in the configuration of a proxy.
    NginxSafe,
}

/// The risk of an annotation, as in the table that ingress-nginx published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, JsonSchema)]
pub enum Risk {
    /// Sets a number or a switch.
    Low,
    /// Changes how traffic is handled.
    Medium,
    /// Names other hosts, or affects the configuration of the proxy.
    High,
    /// Contains configuration of the proxy.
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

/// An annotation that is not allowed.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForbiddenAnnotation {
    /// The key; a trailing `*` matches anything.
    ///
    /// ```yaml
    /// checks: {ingress/annotation-forbidden: {action: Deny, annotations: [{key: example.com/debug}]}}
    /// ```
    #[serde(deserialize_with = "compared_key")]
    pub key: String,
    /// An unanchored regular expression in the syntax of the `regex` crate. The annotation is not allowed if the value matches, or, without an
    /// expression, with any value.
    ///
    /// ```yaml
    /// checks:
    ///   ingress/annotation-forbidden:
    ///     action: Deny
    ///     annotations: [{key: nginx.ingress.kubernetes.io/backend-protocol, value: FCGI|GRPC}]
    /// ```
    #[serde(default)]
    pub value: Option<ConfigRegex>,
}

/// Decodes the key of an annotation, or a pattern of such keys, as the decoder of objects does.
fn compared_key<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(as_compared(String::deserialize(deserializer)?.into()).into_owned())
}

impl ForbiddenAnnotation {
    /// Whether the rule forbids this annotation.
    pub fn forbids(&self, key: &str, value: &str) -> bool {
        glob(&self.key, key) && self.value.as_ref().is_none_or(|pattern| pattern.0.is_match(value))
    }
}

/// The annotations under a prefix that are allowed; all others under it are not.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AllowedAnnotations {
    /// The prefix of the restricted annotations, such as `nginx.ingress.kubernetes.io/`. The empty prefix restricts every annotation.
    ///
    /// ```yaml
    /// checks:
    ///   ingress/annotation-not-allowed:
    ///     action: Deny
    ///     allowedAnnotations: [{prefix: haproxy.org/, allow: []}]
    /// ```
    pub prefix: String,
    /// The allowed annotations.
    ///
    /// ```yaml
    /// checks:
    ///   ingress/annotation-not-allowed:
    ///     action: Deny
    ///     allowedAnnotations: [{prefix: haproxy.org/, allow: [{key: "timeout-*"}]}]
    /// ```
    pub allow: Vec<AllowedAnnotation>,
}

/// An annotation that is allowed.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AllowedAnnotation {
    /// The key without the prefix; a trailing `*` matches anything.
    ///
    /// ```yaml
    /// checks:
    ///   ingress/annotation-not-allowed:
    ///     action: Deny
    ///     allowedAnnotations: [{prefix: haproxy.org/, allow: [{key: check}]}]
    /// ```
    pub key: String,
    /// A regular expression in the syntax of the `regex` crate that the whole value must match. Without it, every value is allowed.
    ///
    /// ```yaml
    /// checks:
    ///   ingress/annotation-not-allowed:
    ///     action: Deny
    ///     allowedAnnotations: [{prefix: haproxy.org/, allow: [{key: timeout-server, value: "[0-9]{1,2}s"}]}]
    /// ```
    #[serde(default)]
    pub value: Option<WholeRegex>,
}

impl AllowedAnnotation {
    /// Whether it is about the annotation with this prefix and name.
    pub fn is_for(&self, prefix: &str, name: &str) -> bool {
        match ignores_case(prefix) {
            true => glob(&self.key.to_ascii_lowercase(), name),
            false => glob(&self.key, name),
        }
    }

    /// Whether it allows this value.
    pub fn allows(&self, value: &str) -> bool {
        self.value.as_ref().is_none_or(|pattern| pattern.is_match(value))
    }
}

/// A label or an annotation that objects must have.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RequiredEntry {
    /// The key.
    ///
    /// ```yaml
    /// checks: {object/annotation-required: {action: Deny, required: [{key: example.com/contact}]}}
    /// ```
    #[serde(deserialize_with = "compared_key")]
    pub key: String,
    /// A regular expression in the syntax of the `regex` crate that the whole value must match. Without it, every value is allowed.
    ///
    /// ```yaml
    /// checks: {object/annotation-required: {action: Deny, required: [{key: example.com/tier, value: gold|silver}]}}
    /// ```
    #[serde(default)]
    pub value: Option<WholeRegex>,
    /// The kinds of objects that must have it, such as `Ingress`. Without it, all kinds that are validated.
    ///
    /// ```yaml
    /// checks: {object/label-required: {action: Deny, required: [{key: example.com/team, kinds: [Ingress, HTTPRoute]}]}}
    /// ```
    #[serde(default)]
    pub kinds: Vec<String>,
}

impl RequiredEntry {
    /// Whether objects of `kind`, which is spelled as in manifests, must have it.
    pub fn is_for(&self, kind: &str) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|name| name == kind)
    }
}

/// Whether classes that no entry lists may be used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, JsonSchema)]
pub enum UnlistedClasses {
    /// Every namespace may use them.
    #[default]
    Allow,
    /// No namespace may use them.
    Deny,
}

/// A regular expression that must match the whole text, in linear time.
#[derive(Debug, Clone)]
pub struct WholeRegex {
    written: String,
    compiled: Regex,
}

impl PartialEq for WholeRegex {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl WholeRegex {
    /// Whether the whole text matches.
    pub fn is_match(&self, text: &str) -> bool {
        self.compiled.is_match(text)
    }

    /// The expression as written.
    pub fn as_str(&self) -> &str {
        &self.written
    }
}

impl<'de> Deserialize<'de> for WholeRegex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        let error = |_| de::Error::custom(format!("`{written}` is not a regular expression"));
        // The expression is compiled by itself as well, since `a)|(b` would otherwise be valid.
        let compiled = Regex::new(&written).and_then(|_| Regex::new(&format!(r"\A(?:{written})\z"))).map_err(error)?;
        Ok(Self { written, compiled })
    }
}

impl JsonSchema for WholeRegex {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "WholeRegex".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "regex"})
    }
}

/// A regular expression that is matched in linear time.
#[derive(Debug, Clone)]
pub struct ConfigRegex(pub Regex);

impl PartialEq for ConfigRegex {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

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
#[derive(Debug, Clone, PartialEq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClassRule {
    /// The class; `""` means an Ingress without one, which is only restricted by `unlisted: Deny`.
    ///
    /// ```yaml
    /// checks: {ingress/class-not-allowed: {action: Deny, classes: [{class: internal, namespaces: {names: [ops]}}]}}
    /// ```
    pub class: String,
    /// The namespaces that may use it.
    ///
    /// ```yaml
    /// checks:
    ///   ingress/class-not-allowed:
    ///     action: Deny
    ///     classes: [{class: internal, namespaces: {labels: {tier: platform}}}]
    /// ```
    pub namespaces: NamespaceSelector,
}
