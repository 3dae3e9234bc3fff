//! Settings for some of the writes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckSetting, Match, MaxAction, Spanned, Theme};
use crate::finding::Action;

/// Settings for the writes that it matches, in the same order as for all writes: profile, themes, checks.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Override {
    /// The writes.
    ///
    /// ```yaml
    /// overrides:
    /// - match: {namespaces: {names: [shop]}, ingressClasses: [public]}
    ///   checks: {ingress/tls-missing: Deny}
    /// ```
    #[serde(rename = "match")]
    pub only: Spanned<Match>,
    /// The profile whose actions apply; it is pinned like the profile of all writes unless it has a suffix such as `@0.1`.
    ///
    /// ```yaml
    /// overrides:
    /// - match: {namespaces: {labels: {tier: platform}}}
    ///   profile: restricted@0.1
    /// ```
    #[serde(default)]
    pub profile: Option<Spanned<String>>,
    /// The maximum action of all checks, instead of the one for all writes.
    ///
    /// ```yaml
    /// profile: restricted
    /// maxAction: Warn
    /// overrides:
    /// - match: {namespaces: {labels: {phase: enforced}}}
    ///   maxAction: Deny
    /// ```
    #[serde(default)]
    pub max_action: Option<Spanned<MaxAction>>,
    /// The action of all checks of a theme.
    ///
    /// ```yaml
    /// overrides:
    /// - match: {namespaces: {labels: {phase: enforced}}}
    ///   themes: {policy: Deny, tenancy: Deny}
    /// ```
    #[serde(default)]
    pub themes: BTreeMap<Spanned<Theme>, Action>,
    /// The action and options of checks by id, `family/*` or `*`; the most specific entry wins. `*` and `family/*` also switch on checks that
    /// the profile has off, but not those that are off in every profile: only their id does.
    ///
    /// ```yaml
    /// overrides:
    /// - match: {namespaces: {names: [shop]}}
    ///   checks: {ingress/tls-missing: Deny}
    /// ```
    #[serde(default)]
    pub checks: BTreeMap<Spanned<String>, CheckSetting>,
}
