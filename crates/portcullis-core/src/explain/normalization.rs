//! The paths of requests as proxies match and forward them, where no API specifies it.

use std::borrow::Cow;

use super::request::Request;
use crate::matching::Normalization;

/// The request as the proxy sees it, and forwards it.
pub(super) fn normalized(request: &Request, how: Option<Normalization>) -> Cow<'_, Request> {
    let path = match how {
        None => return Cow::Borrowed(request),
        Some(Normalization::Envoy) => as_envoy(&request.path),
        Some(Normalization::Traefik) => as_traefik(&request.path),
    };
    match path == request.path {
        true => Cow::Borrowed(request),
        false => Cow::Owned(Request { path, ..request.clone() }),
    }
}

/// The path decoded where this changes no meaning, without `.` and `..`, and with repeated slashes merged.
fn as_envoy(path: &str) -> String {
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

/// The path decoded where this changes no meaning, with other escapes in upper case, and cleaned as Go does (`path.Clean`): without `.`
/// and `..`, and with repeated slashes merged first.
fn as_traefik(path: &str) -> String {
    let decoded = decoded(path);
    let mut escapes = decoded.split('%');
    let mut text = escapes.next().unwrap_or_default().to_owned();
    for escape in escapes {
        let is_escape =
            escape.len() >= 2 && escape.is_char_boundary(2) && escape[..2].bytes().all(|byte| byte.is_ascii_hexdigit());
        let (code, rest) = escape.split_at(if is_escape { 2 } else { 0 });
        text.extend(["%", &code.to_ascii_uppercase(), rest]);
    }
    let mut segments: Vec<&str> = Vec::new();
    for segment in text.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            segment => segments.push(segment),
        }
    }
    let end = if text.ends_with('/') && !segments.is_empty() { "/" } else { "" };
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
            assert_eq!(as_envoy(path), expected, "{path}");
        }
    }

    #[test]
    fn traefik_cleans_paths_as_go_does() {
        for (path, expected) in [
            ("/", "/"),
            ("//", "/"),
            ("/foo/", "/foo/"),
            ("/foo//bar//", "/foo/bar/"),
            ("/foo/.", "/foo"),
            ("/foo/bar/..", "/foo"),
            ("/foo/bar/../", "/foo/"),
            ("/foo//..", "/"),
            ("/../b", "/b"),
            ("/a/%2e%2e/b", "/b"),
            ("/%66oo%2fbar", "/foo%2Fbar"),
            ("/a\\b", "/a\\b"),
        ] {
            assert_eq!(as_traefik(path), expected, "{path}");
        }
    }
}
