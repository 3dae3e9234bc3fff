//! New paths and new URLs: what redirects and rewrites make of those of a request.

use super::request::Request;

/// `path` with its beginning `matched` replaced, element by element: `/foo/bar` with `/foo` replaced by `/xyz` or `/xyz/`
/// is `/xyz/bar` (HTTPPathModifier of the Gateway API, which has a table of examples).
pub(super) fn with_prefix_replaced(path: &str, matched: &str, replacement: &str) -> String {
    let rest = path.strip_prefix(matched.trim_end_matches('/')).unwrap_or(path);
    let new = match rest.is_empty() || path == "/" {
        true => replacement.to_owned(),
        false => format!("{}{rest}", replacement.trim_end_matches('/')),
    };
    if new.starts_with('/') { new } else { format!("/{new}") }
}

/// A URL with the query of `request`, without a port that is the default of the scheme.
pub(super) fn location(scheme: &str, host: &str, port: u16, path: &str, request: &Request) -> String {
    let port = match (scheme, port) {
        ("http", 80) | ("https", 443) => String::new(),
        (_, port) => format!(":{port}"),
    };
    let query = request.query_text.as_deref().map(|query| format!("?{query}")).unwrap_or_default();
    format!("{scheme}://{host}{port}{path}{query}")
}

/// The default port of a scheme.
pub(super) fn default_port(scheme: &str) -> u16 {
    if scheme == "https" { 443 } else { 80 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_replaced_as_in_the_table_of_the_gateway_api() {
        for (path, matched, replacement, expected) in [
            ("/foo/bar", "/foo", "/xyz", "/xyz/bar"),
            ("/foo/bar", "/foo", "/xyz/", "/xyz/bar"),
            ("/foo/bar", "/foo/", "/xyz", "/xyz/bar"),
            ("/foo/bar", "/foo/", "/xyz/", "/xyz/bar"),
            ("/foo", "/foo", "/xyz", "/xyz"),
            ("/foo/", "/foo", "/xyz", "/xyz/"),
            ("/foo/bar", "/foo", "", "/bar"),
            ("/foo/", "/foo", "", "/"),
            ("/foo", "/foo", "", "/"),
            ("/foo/", "/foo", "/", "/"),
            ("/foo", "/foo", "/", "/"),
            ("/x/y", "/", "/new", "/new/x/y"),
            ("/", "/", "/new", "/new"),
        ] {
            assert_eq!(with_prefix_replaced(path, matched, replacement), expected, "{path} {matched} {replacement}");
        }
    }
}
