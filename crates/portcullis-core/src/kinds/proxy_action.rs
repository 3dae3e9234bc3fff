//! What the routes of an HTTPProxy do with requests besides sending them to Services.

use serde::{Deserialize, Deserializer};

use super::present::Present;
use super::{Text, integer_or_none, null_is_default, text_or_empty, text_or_none};
use crate::kinds::shape::{MapsOnly, maps_only};

/// `requestRedirectPolicy` of a route of an HTTPProxy. Absent parts are those of the request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct RedirectPolicy<'a> {
    /// The scheme.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub scheme: Option<Text<'a>>,
    /// The host.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub hostname: Option<Text<'a>>,
    /// The port.
    #[serde(deserialize_with = "integer_or_none")]
    pub port: Option<i64>,
    /// The status code; absent for 302.
    #[serde(deserialize_with = "integer_or_none")]
    pub status_code: Option<i64>,
    /// The whole new path.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub path: Option<Text<'a>>,
    /// The replacement of the matched prefix.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub prefix: Option<Text<'a>>,
}

impl RedirectPolicy<'_> {
    /// Whether it redirects to HTTPS.
    pub fn is_to_https(&self) -> bool {
        self.scheme.as_deref() == Some("https")
    }
}

/// `directResponsePolicy` of a route: the response of the proxy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct DirectResponsePolicy {
    /// The status code.
    #[serde(deserialize_with = "integer_or_none")]
    pub status_code: Option<i64>,
    /// Whether there is a body.
    pub body: Present,
}

/// `pathRewritePolicy` of a route.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct PathRewritePolicy<'a> {
    /// The replacements of matched prefixes.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub replace_prefix: Vec<ReplacePrefix<'a>>,
}

/// One of `pathRewritePolicy.replacePrefix`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct ReplacePrefix<'a> {
    /// The prefix that it replaces, which includes those of the includes above; absent for any.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub prefix: Option<Text<'a>>,
    /// The replacement.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub replacement: Text<'a>,
}

/// `requestHeadersPolicy` or `responseHeadersPolicy`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct HeadersPolicy<'a> {
    /// Headers whose values are replaced.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub set: Vec<HeaderSetting<'a>>,
    /// Names of headers that are removed.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub remove: Vec<Text<'a>>,
}

/// A header and its value, which may contain variables of Envoy such as `%HOSTNAME%`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct HeaderSetting<'a> {
    /// The name, which is case-insensitive.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// The value.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub value: Text<'a>,
}

maps_only!(RedirectPolicy, PathRewritePolicy, ReplacePrefix, HeadersPolicy, HeaderSetting);

impl<'de> Deserialize<'de> for DirectResponsePolicy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(MapsOnly(deserializer))
    }
}
