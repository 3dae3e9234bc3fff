//! What the filter CORS of an HTTPRoute does with a request, by the comments on HTTPCORSFilter in the Gateway API (GEP-1767).

use super::outcome::Reply;
use super::request::Request;
use crate::kinds::Text;
use crate::kinds::filter::Cors;

/// The header of a request that names the page which sends it.
const ORIGIN: &str = "origin";
/// The headers of a preflight request that name the method and the headers of the request after it.
const REQUEST_METHOD: &str = "access-control-request-method";
const REQUEST_HEADERS: &str = "access-control-request-headers";

/// The status code of the answer to a preflight request. The API allows 200 and 204, and without the headers also 403.
const PREFLIGHT: u16 = 204;

/// How long a browser may cache the answer to a preflight request, in seconds, if the filter does not say it.
const CACHED_SECONDS: i64 = 5;

/// The reply to a preflight request, which the gateway answers itself; `None` for another request.
pub(super) fn preflight_reply(cors: &Cors<'_>, request: &Request) -> Option<Reply> {
    let origin = value_of(request, ORIGIN).filter(|_| request.method == "OPTIONS")?;
    let method = value_of(request, REQUEST_METHOD)?;
    let mut headers = response_headers(cors, request);
    let message = if headers.is_empty() {
        format!("preflight request: origin {origin} is not allowed")
    } else {
        let asked = value_of(request, REQUEST_HEADERS);
        let lists = [
            ("access-control-allow-methods", allowed(cors, &joined(&cors.allow_methods), Some(method))),
            ("access-control-allow-headers", allowed(cors, &joined(&cors.allow_headers), asked)),
            ("access-control-max-age", Some(cors.max_age.unwrap_or(CACHED_SECONDS).to_string())),
        ];
        headers.extend(lists.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        if is_method_allowed(cors, method) {
            format!("preflight request: origin {origin} is allowed")
        } else {
            format!("preflight request: method {method} is not allowed")
        }
    };
    Some(Reply::Response { code: Some(PREFLIGHT), message, headers })
}

/// The headers that each response to `request` gets; empty if it has no origin, or one that is not allowed.
pub(super) fn response_headers(cors: &Cors<'_>, request: &Request) -> Vec<(String, String)> {
    let Some(origin) = value_of(request, ORIGIN) else { return Vec::new() };
    if !cors.allow_origins.iter().any(|pattern| matches(pattern, origin)) {
        return Vec::new();
    }
    let has_wildcard = cors.allow_origins.iter().any(|pattern| &**pattern == "*");
    // A browser ignores `*` in answers to requests with credentials.
    let shown = if has_wildcard && !allows_credentials(cors) { "*" } else { origin };
    let headers = [
        ("access-control-allow-origin", Some(shown.to_owned())),
        ("access-control-allow-credentials", allows_credentials(cors).then(|| "true".to_owned())),
        ("access-control-expose-headers", allowed(cors, &joined(&cors.expose_headers), None)),
    ];
    headers.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// The value of a header with what is allowed: the list as written, but what was `asked` for instead of a `*` that credentials forbid.
fn allowed(cors: &Cors<'_>, list: &str, asked: Option<&str>) -> Option<String> {
    match list {
        "" => None,
        "*" if allows_credentials(cors) => asked.map(str::to_owned),
        list => Some(list.to_owned()),
    }
}

fn joined(list: &[Text<'_>]) -> String {
    match list.iter().any(|entry| &**entry == "*") {
        true => "*".to_owned(),
        false => list.iter().map(|entry| &**entry).collect::<Vec<_>>().join(", "),
    }
}

/// Whether a browser sends the request after a preflight request for this method. It asks for no permission for the methods of forms.
fn is_method_allowed(cors: &Cors<'_>, method: &str) -> bool {
    let is_listed = |entry: &Text<'_>| matches!(&**entry, "*") || &**entry == method;
    matches!(method, "GET" | "HEAD" | "POST") || cors.allow_methods.iter().any(is_listed)
}

fn allows_credentials(cors: &Cors<'_>) -> bool {
    cors.allow_credentials == Some(true)
}

fn value_of<'r>(request: &'r Request, name: &str) -> Option<&'r str> {
    let header = request.headers.iter().find(|(own, _)| own == name);
    header.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
}

/// Whether an entry of `allowOrigins` matches an origin. A port that is not written is the default of the scheme.
fn matches(pattern: &str, origin: &str) -> bool {
    if pattern == "*" {
        return true;
    }
    let (Some(pattern), Some(origin)) = (parts(pattern), parts(origin)) else { return false };
    let is_host = match pattern.host.strip_prefix('*') {
        // The wildcard stands for one or more labels.
        Some(suffix) => origin.host.len() > suffix.len() && origin.host.ends_with(suffix),
        None => pattern.host == origin.host,
    };
    (pattern.scheme, pattern.port) == (origin.scheme, origin.port) && is_host
}

/// An origin, or an entry that may match several.
struct Parts<'t> {
    scheme: &'t str,
    host: String,
    port: &'t str,
}

/// The parts of `scheme://host` or `scheme://host:port`; `None` for another text, such as the origin `null`.
fn parts(origin: &str) -> Option<Parts<'_>> {
    let (scheme, authority) = origin.split_once("://")?;
    let default = match scheme {
        "http" => "80",
        "https" => "443",
        _ => return None,
    };
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if is_port(port) => (host, port),
        _ => (authority, default),
    };
    Some(Parts { scheme, host: host.to_ascii_lowercase(), port })
}
