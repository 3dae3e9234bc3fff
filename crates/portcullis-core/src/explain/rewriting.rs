//! New paths and new URLs: what redirects and rewrites make of those of a request.

use super::request::Request;

/// How a rule changes the path of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathRewrite {
    /// Not at all.
    None,
    /// It becomes this path.
    Constant(String),
    /// The beginning that the rule matches is replaced, element by element.
    Prefix {
        /// The beginning, without a slash at the end.
        matched: String,
        /// What it becomes, without a slash at the end.
        replacement: String,
    },
    /// In another way; the text says which, such as an expression and what becomes of its groups.
    Computed(String),
}

impl PathRewrite {
    /// Replaces the beginning `matched`.
    pub(super) fn of_prefix(matched: &str, replacement: &str) -> Self {
        let plain = |path: &str| path.trim_end_matches('/').to_owned();
        Self::Prefix { matched: plain(matched), replacement: plain(replacement) }
    }

    /// Replaces the text `matched` at the beginning. Where both end in a slash, or neither does, elements are replaced.
    pub(super) fn of_text(matched: &str, replacement: &str) -> Self {
        match replacement == "/" || matched.ends_with('/') == replacement.ends_with('/') {
            true => Self::of_prefix(matched, replacement),
            false => Self::Computed(format!("{matched} {replacement}")),
        }
    }

    /// What `rewrite <expression> <target>` of nginx does: `/api(/|$)(.*)` to `/$2` and `/api/(.*)` to `/$1` replace the beginning.
    pub(super) fn of_expression(expression: &str, target: &str) -> Self {
        if !target.contains('$') {
            return Self::Constant(target.to_owned());
        }
        let ends = [("(/|$)(.*)", "/$2", true), ("/(.*)", "/$1", false)];
        let of = |(end, group, is_root): (&str, &str, bool)| {
            let (matched, replacement) = (expression.strip_suffix(end)?, target.strip_suffix(group)?);
            // Elsewhere, the path that is the beginning itself becomes another one.
            let is_alike = !is_root || replacement.is_empty();
            let is_literal = |text: &str| text.chars().all(|letter| letter.is_alphanumeric() || "/-_".contains(letter));
            (is_alike && is_literal(matched) && is_literal(replacement)).then(|| Self::of_prefix(matched, replacement))
        };
        ends.into_iter().find_map(of).unwrap_or_else(|| Self::Computed(format!("{expression} {target}")))
    }
}

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
    fn expressions_that_replace_a_beginning_are_known() {
        let of = PathRewrite::of_expression;
        let api = PathRewrite::of_prefix("/api", "/");
        assert_eq!([of("/api(/|$)(.*)", "/$2"), of("/api/(.*)", "/$1")], [api.clone(), api]);
        assert_eq!(of("/(.*)", "/v1/$1"), PathRewrite::of_prefix("/", "/v1/"));
        assert!(matches!(of("/api(/|$)(.*)", "/v1/$2"), PathRewrite::Computed(_)));
        assert_ne!(of("/a.i(/|$)(.*)", "/$2"), of("/a.i(/|$)(.*)", "/x/$2"));
        assert_eq!(of("/api", "/v1"), PathRewrite::Constant("/v1".to_owned()));
    }

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
