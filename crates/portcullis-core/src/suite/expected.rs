//! What is expected of the answer to a request.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::Spanned;

/// What is expected of the answer to a request.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpectedAnswer {
    /// The object with the rule that answers, such as `HTTPRoute/shop/web`.
    #[serde(default)]
    pub object: Option<Spanned<String>>,
    /// A Service that gets a share of the requests and can answer, as namespace/name or namespace/name:port.
    #[serde(default)]
    pub service: Option<Spanned<String>>,
    /// The path that the backend receives, without the query.
    #[serde(default)]
    pub path: Option<String>,
    /// The status code of a redirect or of another response of the proxy.
    #[serde(default)]
    pub code: Option<u16>,
    /// The URL that a redirect leads to.
    #[serde(default)]
    pub location: Option<String>,
    /// Whether a backend or the proxy answers.
    #[serde(default)]
    pub answered: Option<bool>,
}

impl ExpectedAnswer {
    /// Whether nothing is expected.
    pub(super) const fn is_empty(&self) -> bool {
        self.object.is_none() && self.is_about_object()
    }

    /// Whether nothing is expected of the answer but the object with the rule, if that.
    pub(super) const fn is_about_object(&self) -> bool {
        let is_of_backend = self.service.is_some() || self.path.is_some();
        let is_of_proxy = self.code.is_some() || self.location.is_some();
        !(is_of_backend || is_of_proxy || self.answered.is_some())
    }
}
