//! The settings of defaulters.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Spanned;

/// The setting of a defaulter.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DefaultSetting {
    /// Whether the defaulter is on.
    ///
    /// ```yaml
    /// defaults: {ingress/default-class: {enabled: false}}
    /// ```
    #[serde(default = "super::yes")]
    pub enabled: bool,
    /// What to do if several classes are marked as the default, `none` unless set; only for `ingress/default-class`.
    ///
    /// ```yaml
    /// defaults: {ingress/default-class: {onMultipleDefaults: newest}}
    /// ```
    #[serde(default)]
    pub on_multiple_defaults: Option<OnMultipleDefaults>,
    /// The class to fill in; only for `http-proxy/ingress-class-default`, which requires it.
    ///
    /// ```yaml
    /// defaults: {http-proxy/ingress-class-default: {class: contour}}
    /// ```
    #[serde(default)]
    pub class: Option<Spanned<String>>,
}

/// What to do if several classes are marked as the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OnMultipleDefaults {
    /// Fill in nothing and warn.
    #[default]
    None,
    /// Fill in the newest class, like the admission plugin of the API server.
    Newest,
}
