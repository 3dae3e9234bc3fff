//! Ingress paths in canonical form, and the requests that they match (KEP-758, "Path matching").

use std::borrow::Cow;
use std::fmt;

/// The three path types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathType {
    /// Up to the class.
    ImplementationSpecific,
    /// Element by element.
    Prefix,
    /// Byte for byte.
    Exact,
}

impl PathType {
    /// The type as written, case and all; nothing means `ImplementationSpecific` (KEP-758), another word nothing.
    pub fn parse(written: Option<&str>) -> Option<Self> {
        match written {
            None | Some("ImplementationSpecific") => Some(Self::ImplementationSpecific),
            Some("Prefix") => Some(Self::Prefix),
            Some("Exact") => Some(Self::Exact),
            Some(_) => None,
        }
    }
}

impl fmt::Display for PathType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::ImplementationSpecific => "ImplementationSpecific",
            Self::Prefix => "Prefix",
            Self::Exact => "Exact",
        })
    }
}

/// A path and how it matches. Two paths that match the same requests are equal; of several that match one request the greatest serves it:
/// `Exact` before `Prefix`, the longer prefix before the shorter (KEP-758).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path<'a> {
    /// How it matches.
    pub kind: PathType,
    /// Its text: a prefix without the trailing slashes that do not count, `/` where nothing is left.
    pub text: Cow<'a, str>,
}

impl<'a> Path<'a> {
    /// The canonical form of a path as written; an absent one means `/` (KEP-758).
    pub fn new(kind: PathType, written: Option<&'a str>) -> Self {
        let written = written.unwrap_or_default();
        let text = match kind {
            PathType::Prefix => written.trim_end_matches('/'),
            PathType::Exact | PathType::ImplementationSpecific => written,
        };
        Self { kind, text: Cow::Borrowed(if text.is_empty() { "/" } else { text }) }
    }

    /// Whether a request for `path` (no query, nothing decoded) is one for this path; `None` where that is up to the class.
    pub fn matches(&self, path: &str) -> Option<bool> {
        match self.kind {
            PathType::ImplementationSpecific => None,
            PathType::Exact => Some(self.text == path),
            PathType::Prefix if self.text == "/" => Some(path.starts_with('/')),
            PathType::Prefix => {
                Some(path.strip_prefix(&*self.text).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
            }
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The first character of `path` that the path of no request holds (RFC 3986), a `%` where no two hexadecimal digits follow.
pub fn unsafe_character(path: &str) -> Option<char> {
    first_outside(path, |character| is_plain(character) || "!$&'()*+,;=".contains(character))
}

/// The part of `path` that some proxies resolve before they match and some do not: empty and dot segments, an encoded slash.
pub fn ambiguous_part(path: &str) -> Option<&str> {
    // Most paths hold nothing like these, which one pass without an early end tells.
    let (mut before, mut most) = (0, 0);
    for byte in path.bytes() {
        let weight = WEIGHTS[usize::from(byte)];
        most = most.max(before + weight);
        before = weight;
    }
    if most < SUSPECT {
        return None;
    }
    let parts = ["//", "/./", "/../", "%2f", "%2F"].into_iter();
    let inside = parts.filter_map(|part| path.find(part).map(|start| &path[start..start + part.len()])).next();
    inside.or_else(|| {
        ["/..", "/."].into_iter().find(|part| path.ends_with(part)).map(|part| &path[path.len() - part.len()..])
    })
}

/// What a byte weighs in the search for ambiguous parts: two neighbours of which neither may stand beside the other, or a `%`, weigh
/// [`SUSPECT`] or more.
static WEIGHTS: [u8; 256] = weights();
const SUSPECT: u8 = 2;

const fn weights() -> [u8; 256] {
    let mut weights = [0; 256];
    weights[b'/' as usize] = 1;
    weights[b'.' as usize] = 1;
    weights[b'%' as usize] = SUSPECT;
    weights
}

/// The first character of `path` that is not plain: one that the path of a request or a proxy's configuration may give a meaning.
pub fn special_character(path: &str) -> Option<char> {
    first_outside(path, is_plain)
}

/// The first character of `path` that is not `allowed`; a `%` is where it begins a triplet.
fn first_outside(path: &str, allowed: fn(char) -> bool) -> Option<char> {
    // Most paths are plain throughout.
    if path.bytes().fold(true, |plain, byte| plain & PLAIN[usize::from(byte)]) {
        return None;
    }
    let is_outside = |(index, character): &(usize, char)| match character {
        '%' => !is_triplet(&path.as_bytes()[*index..]),
        character => !allowed(*character),
    };
    path.char_indices().find(is_outside).map(|(_, character)| character)
}

fn is_triplet(bytes: &[u8]) -> bool {
    matches!(bytes, [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}

fn is_plain(character: char) -> bool {
    u8::try_from(character).is_ok_and(|byte| PLAIN[usize::from(byte)])
}

/// The bytes that mean themselves in every path.
static PLAIN: [bool; 256] = plain();

const fn plain() -> [bool; 256] {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < plain.len() {
        let is_mark = matches!(byte as u8, b'.' | b'_' | b'-' | b'~' | b':' | b'@' | b'/');
        plain[byte] = is_mark || (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    plain
}
