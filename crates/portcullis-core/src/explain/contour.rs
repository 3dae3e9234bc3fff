//! What Contour and its Envoy do before they select a rule, where no API specifies it.

use std::borrow::Cow;

use super::request::Request;

/// The characters because of which Contour reads an `ImplementationSpecific` path as an expression.
pub(super) const EXPRESSION: &[char] = &['^', '+', '*', '[', ']', '%'];

/// The request as Contour's Envoy sees it, and forwards it: its path is decoded where this changes no meaning, without `.` and `..`,
/// and with repeated slashes merged.
pub(super) fn normalized(request: &Request) -> Cow<'_, Request> {
    match normalize(&request.path) {
        path if path == request.path => Cow::Borrowed(request),
        path => Cow::Owned(Request { path, ..request.clone() }),
    }
}

fn normalize(path: &str) -> String {
    let decoded = decoded(path).replace('\\', "/");
    // `..` removes an empty segment, too, since slashes are merged afterwards.
    let mut segments: Vec<&str> = Vec::new();
    let (mut is_open, mut rest) = (true, decoded.strip_prefix('/').unwrap_or(&decoded).split('/').peekable());
    while let Some(segment) = rest.next() {
        is_open = matches!(segment, "" | "." | "..");
        match segment {
            "." => {}
            ".." => drop(segments.pop()),
            "" if rest.peek().is_none() => {}
            segment => segments.push(segment),
        }
    }
    let is_empty = segments.iter().all(|segment| segment.is_empty());
    if is_empty && !segments.is_empty() {
        // Slashes alone are not merged into one.
        return "//".to_owned();
    }
    segments.retain(|segment| !segment.is_empty());
    let end = if is_open && !is_empty { "/" } else { "" };
    format!("/{}{end}", segments.join("/"))
}

/// Decodes the characters that RFC 3986 calls unreserved.
fn decoded(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(start) = rest.find('%') {
        let (before, encoded) = rest.split_at(start);
        text.push_str(before);
        let byte = encoded.get(1..3).and_then(|digits| u8::from_str_radix(digits, 16).ok()).map(char::from);
        match byte.filter(|letter| letter.is_ascii_alphanumeric() || "-._~".contains(*letter)) {
            Some(letter) => {
                text.push(letter);
                rest = &encoded[3..];
            }
            None => {
                text.push('%');
                rest = &encoded[1..];
            }
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_normalized_but_keeps_what_has_a_meaning() {
        for (path, expected) in [
            ("/", "/"),
            ("/foo/", "/foo/"),
            ("//foo", "/foo"),
            ("/foo//", "/foo/"),
            ("/foo//..", "/foo/"),
            ("/foo//../bar", "/foo/bar"),
            ("//", "//"),
            ("//..", "/"),
            ("/a/../b", "/b"),
            ("/a/%2e%2e/b/.", "/b/"),
            ("/../b", "/b"),
            ("/%66oo%2Fbar", "/foo%2Fbar"),
            ("/100%", "/100%"),
            ("/a\\b", "/a/b"),
        ] {
            assert_eq!(normalize(path), expected, "{path}");
        }
    }
}
