//! What the annotations of an Ingress ask for, parsed as the controller parses them (internal/ingress/annotations).

use super::address_list::AddressList;
use super::annotations::Annotations;
use super::canary::Canary;
use super::controller_settings::ControllerSettings;
use super::status_codes::codes;
use crate::cluster::{Lookup, Overlay};
use crate::kinds::{Ingress, ObjectRef};
use crate::matching::nginx_locations::SNIPPETS;

/// What the annotations of one Ingress ask for.
#[derive(Debug, Default)]
pub struct Settings<'w> {
    /// The annotation because of which the controller ignores the whole Ingress.
    pub rejected: Option<&'static str>,
    /// The annotation because of which its locations answer 503.
    pub denied: Option<&'static str>,
    /// The annotation because of which its hosts answer 403.
    pub denied_host: Option<&'static str>,
    /// The canary that it is.
    pub canary: Option<Canary<'w>>,
    /// Whether its paths are regular expressions.
    pub use_regex: bool,
    /// The path that replaces the matched one.
    pub rewrite: Option<&'w str>,
    /// Where requests for `/` are redirected.
    pub app_root: Option<&'w str>,
    /// The status code and the URL of a redirect of every request, with the name of its annotation.
    pub redirect: Option<(u16, &'w str, &'static str)>,
    /// Whether the other one of `www.example.com` and `example.com` is redirected to its hosts.
    pub from_to_www: bool,
    /// Whether plain HTTP is redirected to HTTPS if the host has a certificate.
    pub ssl_redirect: bool,
    /// Whether plain HTTP is redirected to HTTPS.
    pub force_ssl_redirect: bool,
    /// Whether that redirect keeps a trailing slash.
    pub preserve_trailing_slash: bool,
    /// The further hosts.
    pub aliases: Vec<&'w str>,
    /// The allowed origins of CORS.
    pub cors: Option<&'w str>,
    /// The clients that are let in.
    pub allowed: Option<AddressList>,
    /// The annotation that lets them in.
    pub allowed_by: &'static str,
    /// The clients that are refused.
    pub refused: Option<AddressList>,
    /// Whether clients must authenticate by name and password.
    pub basic_auth: bool,
    /// The URL that is asked whether a request is let in.
    pub auth_url: Option<&'w str>,
    /// Whether the URL of the controller is asked.
    pub has_global_auth: bool,
    /// The URL to which clients are redirected that are not let in.
    pub auth_signin: Option<&'w str>,
    /// Whether clients must present a certificate.
    pub client_certificate: bool,
    /// The host that backends receive.
    pub upstream_vhost: Option<&'w str>,
    /// The status codes of the backend that the default backend answers instead.
    pub error_codes: Vec<u16>,
    /// The Service that answers if the backend has no endpoints.
    pub default_backend: Option<&'w str>,
}

impl<'w> Settings<'w> {
    /// The settings of the Ingress at `object_ref` in a controller with these settings.
    pub fn of(
        object_ref: &ObjectRef,
        ingress: &'w Ingress<'w>,
        controller: &ControllerSettings,
        cluster: &Overlay<'_>,
    ) -> Self {
        let annotations = Annotations(ingress);
        let lacks_secret =
            |name: &str| annotations.text(name).is_some_and(|secret| is_missing(secret, object_ref, cluster));
        let networks = |name: &str| annotations.text(name).map(AddressList::parse);
        let allowed_by = if annotations.text(ALLOW).is_some() { ALLOW } else { WHITELIST };
        let (allowed, refused) = (networks(allowed_by), networks(DENY));
        let auth = annotations.text("auth-type");
        let snippet = || annotations.first(SNIPPETS).filter(|_| !controller.allows_snippets);
        let invalid = |name: &'static str, is_valid: fn(&str) -> bool| {
            annotations.text(name).is_some_and(|text| !is_valid(text)).then_some(name)
        };
        let rejected = annotations
            .riskier(controller.max_risk)
            .or_else(snippet)
            .or_else(|| invalid("auth-url", is_url_with_variables))
            .or_else(|| invalid("auth-type", |auth| matches!(auth, "basic" | "digest")))
            .or_else(|| invalid("permanent-redirect", is_url_text))
            .or_else(|| invalid("permanent-redirect-code", is_integer));
        let lacking = |name: &'static str| lacks_secret(name).then_some(name);
        let denied = (allowed == Some(None))
            .then_some(allowed_by)
            .or_else(|| (refused == Some(None)).then_some(DENY))
            .or_else(|| auth.filter(|_| annotations.text("auth-secret").is_none()).map(|_| "auth-type"))
            .or_else(|| auth.and_then(|_| lacking("auth-secret")))
            .or_else(|| invalid("auth-url", has_host))
            .or_else(|| lacking("proxy-ssl-secret"))
            .or_else(|| annotations.first(["custom-headers"]).filter(|_| !controller.allows_response_headers));
        let verifies = annotations.text("auth-tls-verify-client").is_none_or(|verifies| verifies == "on");
        Self {
            rejected,
            denied,
            denied_host: lacking(AUTH_TLS),
            canary: Canary::of(&annotations),
            use_regex: annotations.is_true("use-regex"),
            rewrite: annotations.text("rewrite-target"),
            app_root: annotations.text("app-root").filter(|target| target.starts_with('/')),
            redirect: redirect(&annotations),
            from_to_www: annotations.is_true("from-to-www-redirect"),
            ssl_redirect: annotations.flag("ssl-redirect").unwrap_or(controller.ssl_redirect),
            force_ssl_redirect: annotations.flag("force-ssl-redirect").unwrap_or(controller.force_ssl_redirect),
            preserve_trailing_slash: annotations.is_true("preserve-trailing-slash"),
            aliases: annotations.text("server-alias").map_or_else(Vec::new, aliases),
            cors: annotations.is_true("enable-cors").then(|| annotations.text("cors-allow-origin").unwrap_or("*")),
            allowed: allowed.flatten(),
            allowed_by,
            refused: refused.flatten(),
            basic_auth: auth.is_some(),
            auth_url: annotations.text("auth-url"),
            has_global_auth: controller.has_global_auth && annotations.flag("enable-global-auth") != Some(false),
            auth_signin: annotations.text("auth-signin"),
            client_certificate: annotations.text(AUTH_TLS).is_some() && verifies,
            upstream_vhost: annotations.text("upstream-vhost"),
            error_codes: annotations.text("custom-http-errors").map_or_else(Vec::new, codes),
            default_backend: annotations.text("default-backend"),
        }
    }

    /// Whether the paths of a server are regular expressions because of a location with these settings and this path.
    pub fn enforces_regex(&self, path: &str) -> bool {
        self.use_regex || self.rewrites(path)
    }

    /// Whether a location with this path is rewritten: the target is another path.
    pub fn rewrites(&self, path: &str) -> bool {
        self.rewrite.is_some_and(|target| target != path)
    }
}

const ALLOW: &str = "allowlist-source-range";
const WHITELIST: &str = "whitelist-source-range";
const DENY: &str = "denylist-source-range";
const AUTH_TLS: &str = "auth-tls-secret";

/// Whether a Secret, as `name` or `namespace/name`, is known to be absent, or in another namespace.
fn is_missing(secret: &str, object_ref: &ObjectRef, cluster: &Overlay<'_>) -> bool {
    let own = &*object_ref.namespace;
    let (namespace, name) = secret.split_once('/').unwrap_or((own, secret));
    namespace != own || cluster.secret(namespace, name) == Lookup::Absent
}

/// The redirect of every request. A temporal one takes precedence (annotations/redirect).
fn redirect<'w>(annotations: &Annotations<'w>) -> Option<(u16, &'w str, &'static str)> {
    let code = |name, last: u16, default: u16| {
        let code = annotations.text(name).and_then(|code| code.parse().ok());
        code.filter(|code| (300..=last).contains(code)).unwrap_or(default)
    };
    let temporal = annotations.text(TEMPORAL).filter(|url| url.starts_with("http://") || url.starts_with("https://"));
    match (temporal, annotations.text(PERMANENT)) {
        (Some(url), _) => Some((code("temporal-redirect-code", 307, 302), url, TEMPORAL)),
        (None, Some(url)) => Some((code("permanent-redirect-code", 308, 301), url, PERMANENT)),
        (None, None) => None,
    }
}

const TEMPORAL: &str = "temporal-redirect";
const PERMANENT: &str = "permanent-redirect";

/// The hosts of a list, each once.
fn aliases(list: &str) -> Vec<&str> {
    let mut aliases: Vec<&str> = list.split(',').map(str::trim).filter(|alias| !alias.is_empty()).collect();
    aliases.sort_unstable();
    aliases.dedup();
    aliases
}

/// Whether a URL has only characters that the controller accepts (`parser.URLIsValidRegex`).
fn is_url_text(url: &str) -> bool {
    url.chars().all(|letter| letter.is_ascii_alphanumeric() || "-._~/:,?&=".contains(letter))
}

/// The same for a URL that may contain variables of nginx (`parser.URLWithNginxVariableRegex`, before which spaces are removed).
fn is_url_with_variables(url: &str) -> bool {
    is_url_text(&url.replace([' ', '$'], ""))
}

fn is_integer(text: &str) -> bool {
    text.parse::<i64>().is_ok()
}

fn has_host(url: &str) -> bool {
    url.split_once("://").is_some_and(|(_, rest)| !rest.is_empty() && !rest.starts_with('/'))
}
