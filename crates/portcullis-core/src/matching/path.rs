//! Ingress paths in canonical form, and the requests that they match (KEP-758, "Path matching").

use std::borrow::Cow;
use std::fmt;

/// The three path types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathType {
    /// The class decides.
    ImplementationSpecific,
    /// Element by element.
    Prefix,
    /// Byte by byte.
    Exact,
}

impl PathType {
    /// Parses the type, which is case-sensitive. An absent type is `ImplementationSpecific` (KEP-758); `None` for any
    /// other text.
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

/// A path and how it matches. Two paths that match the same requests are equal. If several paths match a request, the
/// greatest one serves it: `Exact` before `Prefix`, and a longer prefix before a shorter one (KEP-758).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path<'a> {
    /// How it matches.
    pub kind: PathType,
    /// The text. A prefix has no trailing slashes, which are ignored, unless it is `/`.
    pub text: Cow<'a, str>,
}

impl<'a> Path<'a> {
    /// Returns the canonical form of a path as written. An absent path is `/` (KEP-758).
    pub fn new(kind: PathType, written: Option<&'a str>) -> Self {
        let written = written.unwrap_or_default();
        let text = match kind {
            PathType::Prefix => written.trim_end_matches('/'),
            PathType::Exact | PathType::ImplementationSpecific => written,
        };
        Self { kind, text: Cow::Borrowed(if text.is_empty() { "/" } else { text }) }
    }

    /// Whether one request may match both paths. A path whose class decides is treated as a prefix of the text.
    pub fn overlaps(&self, other: &Path<'_>) -> bool {
        match (self.kind, other.kind) {
            (PathType::Exact | PathType::Prefix, PathType::Exact) => self.matches(&other.text) == Some(true),
            (PathType::Exact, PathType::Prefix) => other.matches(&self.text) == Some(true),
            (PathType::Prefix, PathType::Prefix) => {
                self.matches(&other.text) == Some(true) || other.matches(&self.text) == Some(true)
            }
            (PathType::Exact, PathType::ImplementationSpecific) => self.text.starts_with(&*other.text),
            (PathType::ImplementationSpecific, PathType::Exact) => other.text.starts_with(&*self.text),
            _ => self.text.starts_with(&*other.text) || other.text.starts_with(&*self.text),
        }
    }

    /// Whether a request for `path` (without query, not decoded) matches; `None` if the class decides.
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

/// The first character of `path` that the path of a request cannot contain (RFC 3986), including a `%` that two
/// hexadecimal digits do not follow.
pub fn unsafe_character(path: &str) -> Option<char> {
    first_outside(path, |character| is_plain(character) || "!$&'()*+,;=".contains(character))
}

/// The first character of a literal path that the path of a request cannot contain and that is not plausible as part of
/// a regular expression. A trailing `\` counts if it would escape the text after the path in a configuration.
pub fn harmful_character(path: &str) -> Option<char> {
    let is_held = |character: char| {
        is_plain(character) || "!$&'()*+,;=|[]^\\".contains(character) || (character == '?' && is_option(path))
    };
    let character = outside_counts(path).find_map(|(index, character)| match character {
        '%' => (!is_triplet(&path.as_bytes()[index..])).then_some('%'),
        character => (!is_held(character)).then_some(character),
    });
    character.or_else(|| escapes_end(path))
}

/// Whether a question mark in `path` is likely an operator of a regular expression instead of the start of a query.
fn is_option(path: &str) -> bool {
    path.contains(['|', '[', '(', '*', '+', '^', '\\'])
}

/// The first character of the pattern `path` that could end the string or directive that contains it in a proxy's
/// configuration: white space, control characters, quotes, `;`, `#`, braces that are not a count such as `{2,3}`, and a
/// trailing `\`, which would escape the text after it.
pub fn configuration_character(path: &str) -> Option<char> {
    let ends = |character: char| character.is_control() || character.is_whitespace() || "\"'`;{}#".contains(character);
    // Most paths contain only plain characters.
    if path.bytes().all(|byte| PLAIN[usize::from(byte)]) {
        return None;
    }
    let ending = outside_counts(path).map(|(_, character)| character).find(|character| ends(*character));
    ending.or_else(|| escapes_end(path))
}

/// A trailing `\` that escapes the text after the path.
fn escapes_end(path: &str) -> Option<char> {
    (backslashes(path) % 2 == 1).then_some('\\')
}

/// The number of `\` at the end of the text.
fn backslashes(text: &str) -> usize {
    text.bytes().rev().take_while(|byte| *byte == b'\\').count()
}

/// Each character with its byte offset, without the braces that have a meaning in regular expressions: counts (`{2}`,
/// `{2,}`, `{2,3}`, `{,3}`) and names of characters and groups (`\p{L}`, `\x{2f}`, `\k{name}`).
fn outside_counts(path: &str) -> impl Iterator<Item = (usize, char)> {
    let mut end = 0;
    path.char_indices().filter(move |(index, character)| {
        if *character == '{' && *index >= end {
            end = braces_at(path, *index).map_or(end, |length| index + length);
        }
        *index >= end
    })
}

/// The length of the count or name in braces that begins at `start`.
fn braces_at(path: &str, start: usize) -> Option<usize> {
    let (before, rest) = path.split_at(start);
    let length = rest.find('}')? + 1;
    let inside = &rest[1..length - 1];
    ((is_count(inside) && has_atom(before)) || (is_name(inside) && takes_name(before))).then_some(length)
}

/// Whether braces around `inside` are a count.
fn is_count(inside: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match inside.split_once(',') {
        Some((low, high)) => {
            (low.is_empty() || is_number(low)) && (high.is_empty() || is_number(high)) && inside != ","
        }
        None => is_number(inside),
    }
}

/// Whether `before` ends in something that can be repeated: anything but an operator that is not escaped by `\`.
fn has_atom(before: &str) -> bool {
    let Some(last) = before.chars().next_back() else { return false };
    let is_escaped = backslashes(&before[..before.len() - last.len_utf8()]) % 2 == 1;
    let is_operator = "(|{*+?".contains(last);
    if last == '\\' { is_escaped } else { is_escaped || !is_operator }
}

/// Whether braces around `inside` may be the name of a character class or group, or the number of a character.
fn is_name(inside: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_^=&-".contains(&byte);
    !inside.is_empty() && inside.bytes().all(is_part)
}

/// Whether `before` ends in an escape that is followed by a name in braces.
fn takes_name(before: &str) -> bool {
    before.ends_with(['p', 'P', 'x', 'o', 'u', 'k', 'g', 'N']) && backslashes(&before[..before.len() - 1]) % 2 == 1
}

/// Replaces the named segments of Traefik 2 by groups: `/item/{id:[0-9]+}` becomes `/item/([0-9]+)`.
pub fn without_segments(path: &str) -> Cow<'_, str> {
    let mut plain = String::new();
    let mut rest = path;
    while let Some((start, length)) = first_segment(rest) {
        let inside = &rest[start + 1..start + length - 1];
        let expression = inside.split_once(':').map_or(inside, |(_, expression)| expression);
        plain.extend([&rest[..start], "(", expression, ")"]);
        rest = &rest[start + length..];
    }
    if plain.is_empty() { Cow::Borrowed(path) } else { Cow::Owned(plain + rest) }
}

/// The offset and length of the first named segment. Its expression may contain balanced braces.
fn first_segment(path: &str) -> Option<(usize, usize)> {
    path.match_indices('{').find_map(|(start, _)| {
        let rest = &path[start + 1..];
        let name = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != '-')?;
        let is_named = rest.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
        if !is_named || !rest[name..].starts_with([':', '}']) {
            return None;
        }
        let mut depth = 1_usize;
        let end = rest.find(|letter: char| {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        Some((start, end + 2))
    })
}

/// The part of `path` that looks like a pattern although any path may contain its characters. Parts that occur in
/// ordinary paths do not count, such as in `/c++`, `/odata/$metadata` and `/wiki/Rust_(game)`.
pub fn pattern_piece(path: &str) -> Option<&'static str> {
    // Every such part contains one of these characters. Most paths contain none of them and need only this one pass.
    if !path.bytes().any(|byte| matches!(byte, b'*' | b'+' | b'(' | b'$')) {
        return None;
    }
    let pieces = [(".*", ".*"), ("*", "*"), (".+", ".+"), (")+", ")+"), ("/(", "("), ("$)", "$")];
    let piece = pieces.into_iter().find_map(|(piece, shown)| path.contains(piece).then_some(shown));
    piece.or_else(|| path.ends_with('$').then_some("$"))
}

/// The first reference to a capture group in `text`: `$1`, `${1}` or `\1`, with one digit.
///
/// ```
/// use portcullis_core::matching::path::capture_group;
///
/// assert_eq!(capture_group("/cart/$2"), Some("$2"));
/// assert_eq!(capture_group("/cart/${2}/x"), Some("${2}"));
/// assert_eq!(capture_group("/price/$100"), None);
/// ```
pub fn capture_group(text: &str) -> Option<&str> {
    text.match_indices(['$', '\\']).find_map(|(start, sign)| {
        let rest = &text[start..];
        match rest.as_bytes() {
            [b'$', b'{', b'0'..=b'9', b'}', ..] => Some(&rest[..4]),
            [_, b'0'..=b'9', b'0'..=b'9', ..] => None,
            [_, b'0'..=b'9', ..] => Some(&rest[..sign.len() + 1]),
            _ => None,
        }
    })
}

/// The part of `path` that some proxies resolve before matching and others do not: empty and dot segments, and encoded
/// slashes.
pub fn ambiguous_part(path: &str) -> Option<&str> {
    // Most paths contain no such part. This pass has no early exit, so that the compiler can vectorize it.
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

/// The weight of a byte in the search for ambiguous parts. A `%`, and two adjacent bytes that may belong to an
/// ambiguous part, have a total weight of at least [`SUSPECT`].
static WEIGHTS: [u8; 256] = weights();
const SUSPECT: u8 = 2;

const fn weights() -> [u8; 256] {
    let mut weights = [0; 256];
    weights[b'/' as usize] = 1;
    weights[b'.' as usize] = 1;
    weights[b'%' as usize] = SUSPECT;
    weights
}

/// The first character of `path` that is not plain, so that it may have a special meaning in request paths or in a
/// proxy's configuration.
pub fn special_character(path: &str) -> Option<char> {
    first_outside(path, is_plain)
}

/// The first character of `path` that is not `allowed`. A `%` is allowed if it begins a percent-encoded byte.
fn first_outside(path: &str, allowed: fn(char) -> bool) -> Option<char> {
    // Most paths contain only plain characters.
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

/// The bytes that never have a special meaning in a path.
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
