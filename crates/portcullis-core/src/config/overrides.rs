//! Settings for some of the writes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckSetting, Match, Spanned, Theme};
use crate::finding::Action;

/// Settings for the writes that it matches, in the same order as for all writes: profile, themes, checks.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Override {
    /// The writes.
    #[serde(rename = "match")]
    pub only: Spanned<Match>,
    /// The profile whose actions apply; it is pinned like the profile of all writes unless it has a suffix such as `@0.1`.
    #[serde(default)]
    pub profile: Option<Spanned<String>>,
    /// The action of all checks of a theme.
    #[serde(default)]
    pub themes: BTreeMap<Spanned<Theme>, Action>,
    /// The action and options of checks by id, `family/*` or `*`; the most specific entry wins.
    #[serde(default)]
    pub checks: BTreeMap<Spanned<String>, CheckSetting>,
}
