//! Paths of requests as nginx sees them: decoded, without `.` and `..`, with repeated slashes merged.

use std::fmt::Write;

/// The path by which nginx selects a location; `None` if nginx answers 400 (`ngx_http_parse_complex_uri`).
///
/// ```
/// use portcullis_core::nginx::uri::normalize;
///
/// assert_eq!(normalize("/a//b/./../%63").as_deref(), Some(b"/a/c".as_slice()));
/// assert_eq!(normalize("/../a"), None);
/// ```
pub fn normalize(path: &str) -> Option<Vec<u8>> {
    let decoded = decode(path.as_bytes())?;
    let mut normal: Vec<u8> = Vec::with_capacity(decoded.len());
    let segments = decoded.strip_prefix(b"/")?.split(|byte| *byte == b'/');
    let mut is_open = true;
    for segment in segments {
        is_open = matches!(segment, b"" | b"." | b"..");
        match segment {
            b"" | b"." => {}
            b".." => {
                let parent = normal.iter().rposition(|byte| *byte == b'/')?;
                normal.truncate(parent);
            }
            segment => {
                normal.push(b'/');
                normal.extend_from_slice(segment);
            }
        }
    }
    if is_open {
        normal.push(b'/');
    }
    Some(normal)
}

/// Decodes percent-encoded bytes; `None` if an encoding is malformed or stands for a zero byte.
fn decode(path: &[u8]) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(path.len());
    let mut rest = path.iter();
    while let Some(&byte) = rest.next() {
        let byte = match byte {
            b'%' => 16 * hex(*rest.next()?)? + hex(*rest.next()?)?,
            byte => byte,
        };
        if byte == 0 {
            return None;
        }
        decoded.push(byte);
    }
    Some(decoded)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Encodes a path that a rewrite has set (`ngx_escape_uri`).
pub fn encode(path: &[u8]) -> String {
    let mut encoded = String::with_capacity(path.len());
    for &byte in path {
        match byte {
            0..=b' ' | 0x7f.. => push_encoded(&mut encoded, byte),
            b'"' | b'#' | b'%' | b'<' | b'>' | b'?' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => {
                push_encoded(&mut encoded, byte);
            }
            byte => encoded.push(char::from(byte)),
        }
    }
    encoded
}

fn push_encoded(encoded: &mut String, byte: u8) {
    // Writing to a String never fails.
    let _ = write!(encoded, "%{byte:02X}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_decoded_resolved_and_merged() {
        for (path, expected) in [
            ("/", Some("/")),
            ("/foo", Some("/foo")),
            ("/foo/", Some("/foo/")),
            ("/foo/.", Some("/foo/")),
            ("/foo/..", Some("/")),
            ("/foo/../bar", Some("/bar")),
            ("/a/%2e%2e/b", Some("/b")),
            ("/foo%2Fbar", Some("/foo/bar")),
            ("///foo", Some("/foo")),
            ("/..", None),
            ("/%2e%2e/", None),
            ("/%00", None),
            ("/%zz", None),
            ("/%4", None),
        ] {
            let normal = normalize(path).map(|bytes| String::from_utf8(bytes).expect("ASCII"));
            assert_eq!(normal.as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn rewritten_path_is_percent_encoded() {
        assert_eq!(encode("/a b/ü%?".as_bytes()), "/a%20b/%C3%BC%25%3F");
    }
}
