//! The ConfigMap of the controller, as far as it changes answers (internal/ingress/controller/config).

use super::status_codes::codes;
use crate::cluster::Overlay;
use crate::config::Risk;
use crate::kinds::annotation_value::is_true;

/// The settings of a controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControllerSettings {
    /// The status code of redirects to HTTPS and to another name.
    pub redirect_code: u16,
    /// Whether headers such as `X-Forwarded-Proto` of the request count.
    pub trusts_forwarded: bool,
    /// Whether snippets count.
    pub allows_snippets: bool,
    /// The highest risk of an annotation for which an Ingress is not ignored.
    pub max_risk: Risk,
    /// Whether plain HTTP is redirected to HTTPS where the host has a certificate.
    pub ssl_redirect: bool,
    /// Whether plain HTTP is redirected to HTTPS.
    pub force_ssl_redirect: bool,
    /// Whether a URL is asked whether a request is let in.
    pub has_global_auth: bool,
    /// Whether annotations may add headers to responses.
    pub allows_response_headers: bool,
    /// The status codes of backends that the default backend answers instead.
    pub error_codes: Vec<u16>,
    /// The value of the header `Strict-Transport-Security` of responses over TLS for hosts with a certificate, if it is sent.
    pub transport_security: Option<String>,
    /// Further settings that may change an answer, by name.
    pub not_evaluated: Vec<&'static str>,
}

impl Default for ControllerSettings {
    fn default() -> Self {
        Self::of(|_| None)
    }
}

/// The settings that may change an answer and are not evaluated.
const NOT_EVALUATED: [&str; 8] = [
    "allowlist-source-range",
    "denylist-source-range",
    "http-snippet",
    "location-snippet",
    "main-snippet",
    "proxy-body-size",
    "server-snippet",
    "whitelist-source-range",
];

impl ControllerSettings {
    /// The settings in files, or the defaults if files contain none, or those of several controllers.
    pub fn known(cluster: &Overlay<'_>) -> Self {
        let mut found = cluster.controller_settings();
        match (found.next(), found.next()) {
            (Some(settings), None) => {
                Self::of(|key| settings.iter().find(|(known, _)| **known == *key).map(|(_, value)| &**value))
            }
            _ => Self::default(),
        }
    }

    /// The settings in a ConfigMap whose values `text` finds by key.
    pub fn of<'t>(text: impl Fn(&str) -> Option<&'t str>) -> Self {
        let flag = |key, default: bool| text(key).map_or(default, is_true);
        let risk =
            text("annotations-risk-level").and_then(|name| Risk::ALL.into_iter().find(|risk| risk.name() == name));
        Self {
            redirect_code: text("http-redirect-code").and_then(|code| code.parse().ok()).unwrap_or(308),
            trusts_forwarded: flag("use-forwarded-headers", false),
            allows_snippets: flag("allow-snippet-annotations", false),
            max_risk: risk.unwrap_or(Risk::High),
            ssl_redirect: flag("ssl-redirect", true),
            force_ssl_redirect: flag("force-ssl-redirect", false),
            has_global_auth: text("global-auth-url").is_some_and(|url| !url.is_empty()),
            allows_response_headers: text("global-allowed-response-headers")
                .is_some_and(|names| !names.trim().is_empty()),
            error_codes: text("custom-http-errors").map_or_else(Vec::new, codes),
            transport_security: flag("hsts", true).then(|| {
                let max_age = text("hsts-max-age").filter(|age| !age.is_empty()).unwrap_or("31536000");
                let parts =
                    [("hsts-include-subdomains", true, "; includeSubDomains"), ("hsts-preload", false, "; preload")];
                let parts = parts.into_iter().filter(|(key, default, _)| flag(key, *default));
                parts.fold(format!("max-age={max_age}"), |value, (_, _, part)| value + part)
            }),
            not_evaluated: NOT_EVALUATED
                .into_iter()
                .filter(|key| text(key).is_some_and(|value| !value.is_empty()))
                .collect(),
        }
    }
}
