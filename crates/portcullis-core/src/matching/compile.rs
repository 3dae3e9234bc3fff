//! Compiles regular expressions. Every expression that others write is compiled here, within limits that bound the time
//! and the memory that it can cost.

use std::borrow::Cow;

use regex_automata::meta::{Config, Regex};
use regex_automata::nfa::thompson::WhichCaptures;
use regex_syntax::ast::ErrorKind;
use regex_syntax::hir::{Hir, Look};
use regex_syntax::{Error, ParserBuilder};

use crate::names::is_number;

/// The maximum length of an expression in bytes.
pub const MAX_TEXT: usize = 4096;

/// The maximum length of an expression whose classes contain Unicode characters. Each such class costs as much as
/// hundreds of others.
const MAX_UNICODE_TEXT: usize = 256;

/// The maximum size of a compiled expression in bytes.
pub const MAX_SIZE: usize = 1 << 16;

/// The maximum depth of nested groups.
const MAX_DEPTH: u32 = 64;

/// How much of a text an expression must match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// The whole text.
    Whole,
    /// The beginning of the text, ignoring case if `true`.
    Beginning(bool),
    /// Any part of the text, ignoring case if `true`.
    Anywhere(bool),
}

impl Reach {
    /// Whether case is ignored.
    pub const fn ignores_case(self) -> bool {
        matches!(self, Self::Beginning(true) | Self::Anywhere(true))
    }
}

/// Why an expression cannot be evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// Its syntax is invalid, or has no meaning that can be evaluated in linear time.
    Invalid,
    /// It is longer than [`MAX_TEXT`], nested too deeply, or compiles to more than [`MAX_SIZE`]. It may then match everything that begins
    /// with its literal prefix.
    TooLarge,
}

/// Compiles an expression.
pub fn compile(written: &str, reach: Reach) -> Result<Regex, Unusable> {
    build(written, reach, WhichCaptures::None)
}

/// Like [`compile`] for an expression whose groups are needed, as those of a rewrite.
pub fn compile_with_groups(written: &str, reach: Reach) -> Result<Regex, Unusable> {
    build(written, reach, WhichCaptures::All)
}

fn build(written: &str, reach: Reach, captures: WhichCaptures) -> Result<Regex, Unusable> {
    let own = parse_reaching(written, reach)?;
    let parts = match reach {
        Reach::Whole => vec![Hir::look(Look::Start), own, Hir::look(Look::End)],
        Reach::Beginning(_) | Reach::Anywhere(_) => vec![own],
    };
    let limits = Config::new()
        .nfa_size_limit(Some(MAX_SIZE))
        .onepass_size_limit(Some(MAX_SIZE))
        .hybrid_cache_capacity(MAX_SIZE)
        .which_captures(captures)
        .utf8_empty(false);
    let compiled = Regex::builder().configure(limits).build_from_hir(&Hir::concat(parts));
    // All parts together count, such as the automaton that searches backward.
    compiled.ok().filter(|compiled| compiled.memory_usage() <= MAX_SIZE).ok_or(Unusable::TooLarge)
}

/// The syntax tree of an expression with the anchor at its beginning, if it has one. Controllers write `^` in front of the text, so
/// it belongs to the first of several alternatives alone.
pub fn parse_reaching(written: &str, reach: Reach) -> Result<Hir, Unusable> {
    match reach {
        Reach::Beginning(ignores_case) => parse(&format!("^{written}"), ignores_case),
        Reach::Whole | Reach::Anywhere(_) => parse(written, reach.ignores_case()),
    }
}

/// The syntax tree of an expression. Proxies match bytes and let `\w` and `\d` stand for ASCII, so Unicode only counts
/// where the expression contains it.
pub fn parse(written: &str, ignores_case: bool) -> Result<Hir, Unusable> {
    let is_unicode = is_unicode(written);
    if written.len() > if is_unicode { MAX_UNICODE_TEXT } else { MAX_TEXT } {
        return Err(Unusable::TooLarge);
    }
    let read = escaped(written);
    if is_possessive(&read) {
        return Err(Unusable::Invalid);
    }
    let mut parser = ParserBuilder::new();
    parser.unicode(is_unicode).utf8(is_unicode).case_insensitive(ignores_case).nest_limit(MAX_DEPTH);
    parser.build().parse(&read).map_err(|error| match error {
        Error::Parse(error) if matches!(error.kind(), ErrorKind::NestLimitExceeded(_)) => Unusable::TooLarge,
        _ => Unusable::Invalid,
    })
}

/// Whether no implementation of Perl's expressions accepts `written`, which is not quoted: a group or a class is open at its end, a group
/// is closed that was not opened, a range is reversed, or a repetition has nothing to repeat or a reversed count. An expression with syntax
/// that is read differently elsewhere is never known to be refused.
pub fn is_refused(written: &str) -> bool {
    const READ_DIFFERENTLY: [&str; 10] = ["\"", "(?", "(*", "[[", "[]", "[^]", "&&", "--", "~~", "\\"];
    // `[a[b]` is one class elsewhere.
    let may_be_nested = written.matches('[').count() > 1;
    if may_be_nested || READ_DIFFERENTLY.iter().any(|syntax| written.contains(syntax)) || written.len() > MAX_TEXT {
        return false;
    }
    let mut parser = ParserBuilder::new();
    parser.unicode(false).utf8(false).nest_limit(MAX_DEPTH);
    let Err(Error::Parse(error)) = parser.build().parse(&escaped(written)) else { return false };
    matches!(
        error.kind(),
        ErrorKind::ClassRangeInvalid
            | ErrorKind::ClassUnclosed
            | ErrorKind::GroupUnclosed
            | ErrorKind::GroupUnopened
            | ErrorKind::RepetitionCountInvalid
            | ErrorKind::RepetitionMissing
    )
}

/// Whether an expression contains Unicode characters, or classes or flags for them.
fn is_unicode(written: &str) -> bool {
    let mut groups = written.split("(?").skip(1);
    let has_flag = |group: &str| {
        let flags = group.bytes().take_while(|byte| byte.is_ascii_alphabetic() || *byte == b'-');
        !group.starts_with("P<") && flags.into_iter().any(|flag| flag == b'u')
    };
    !written.is_ascii() || written.contains("\\p") || written.contains("\\P") || groups.any(has_flag)
}

/// The text with which everything begins that an expression matches at the beginning of a text; empty if it cannot be
/// told from the text alone. It is found without parsing, so an expression that is too large has one, too.
pub fn literal_prefix(written: &str) -> &str {
    let text = written.strip_prefix('^').unwrap_or(written);
    let end = text.find(|letter: char| "^$*+?()[]{}|\\.".contains(letter)).unwrap_or(text.len());
    // What follows may allow that the last character is absent, and an alternative need not contain any of it.
    let is_optional = text[end..].starts_with(['*', '?', '{']);
    let last = text[..end].chars().next_back().map_or(0, char::len_utf8);
    match has_alternatives(text) {
        true => "",
        false if is_optional => &text[..end - last],
        false => &text[..end],
    }
}

/// Whether an expression may contain a `|` that is in no group. Where the text leaves doubts, it may.
pub(super) fn has_alternatives(text: &str) -> bool {
    let (mut depth, mut bytes, mut is_class) = (0_u32, text.bytes(), false);
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'[' if is_class => return text.contains('|'),
            b'[' => is_class = true,
            b']' => is_class = false,
            _ if is_class => {}
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b'|' if depth == 0 => return true,
            _ => {}
        }
    }
    (depth > 0 || is_class) && text.contains('|')
}

/// Escapes what is literal text in other implementations and syntax here: each brace that does not begin a repetition, as in `/{id}`,
/// and in a class `[`, `&`, `~` and each `-` after another one.
pub(super) fn escaped(written: &str) -> Cow<'_, str> {
    if !written.contains(['{', '[']) {
        return Cow::Borrowed(written);
    }
    let (mut read, mut last) = (String::with_capacity(written.len() + 8), "");
    for Part { text, length, is_in_class } in parts(written) {
        let part = &text[..length];
        let is_literal = match part {
            "{" => !is_in_class && !is_count(text),
            "[" | "&" | "~" => is_in_class,
            "-" => is_in_class && last == "-",
            _ => false,
        };
        if is_literal {
            read.push('\\');
        }
        read.push_str(part);
        last = part;
    }
    Cow::Owned(read)
}

/// Whether a repetition may never give back what it has matched, as in `a++`: this parser reads it as a repetition of a repetition.
fn is_possessive(read: &str) -> bool {
    // Braces that begin no repetition are escaped.
    let (mut repeats, mut is_count) = (false, false);
    for Part { text, length, is_in_class } in parts(read) {
        let part = &text[..length];
        if part == "+" && repeats && !is_in_class {
            return true;
        }
        repeats = !is_in_class && (matches!(part, "*" | "+" | "?") || is_count && part == "}");
        is_count = !is_in_class && part != "}" && (is_count || part == "{");
    }
    false
}

/// What is read as a whole: a character, an escape, a named class, or the beginning of a class with a `]` that is literal text.
struct Part<'t> {
    /// The expression from here.
    text: &'t str,
    /// The length of the part in bytes.
    length: usize,
    /// Whether it is in a class, which a part may begin or end.
    is_in_class: bool,
}

fn parts(written: &str) -> impl Iterator<Item = Part<'_>> {
    let (mut rest, mut is_class) = (written, false);
    std::iter::from_fn(move || {
        let (text, is_in_class, next) = (rest, is_class, rest.chars().next()?);
        let length = match next {
            // The escaped character is included, and so are the braces of a named class or a numbered character.
            '\\' => escape(text),
            '[' if is_in_class => text.strip_prefix("[:").and_then(|name| name.find(":]")).map_or(1, |end| end + 4),
            '[' => {
                let opened = if text.starts_with("[^") { 2 } else { 1 };
                opened + usize::from(text[opened..].starts_with(']'))
            }
            _ => next.len_utf8(),
        };
        is_class = match next {
            '[' => true,
            ']' => false,
            _ => is_class,
        };
        rest = &text[length..];
        Some(Part { text, length, is_in_class })
    })
}

/// The length in bytes of the escape at the beginning of a text.
fn escape(text: &str) -> usize {
    let of = text.chars().nth(1);
    let plain = 1 + of.map_or(0, char::len_utf8);
    match (of, text.as_bytes().get(plain), text.find('}')) {
        (Some('p' | 'P' | 'x' | 'u' | 'U'), Some(b'{'), Some(end)) => end + 1,
        _ => plain,
    }
}

/// Whether a text begins with a repetition: `{2}`, `{2,}` or `{2,3}`.
fn is_count(text: &str) -> bool {
    let inner = text.strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(inner, _)| inner);
    inner.is_some_and(|inner| match inner.split_once(',') {
        Some((least, most)) => is_number(least) && (most.is_empty() || is_number(most)),
        None => is_number(inner),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_within_its_limits_or_too_large() {
        let large = format!("/{}x", ".{1,1000}".repeat(20));
        let (long, nested) = ("a".repeat(MAX_TEXT + 1), format!("{}{}", "(".repeat(100), ")".repeat(100)));
        let unicode = ["\\pL".repeat(100), "(?u)\\w".repeat(100), format!("ä{}", "\\w".repeat(200))];
        for written in [large, long, nested, "(a{1000}){1000}".to_owned()].iter().chain(&unicode) {
            for reach in [Reach::Whole, Reach::Beginning(true), Reach::Beginning(false), Reach::Anywhere(true)] {
                assert_eq!(compile(written, reach).err(), Some(Unusable::TooLarge), "{written} {reach:?}");
            }
        }
        for usual in [r"/api/v[0-9]+/[^/]+/\w+/(.*)", "/x(/|$)(.*)", "/[^/]{1,63}/.{1,255}", r"/\w+/\d+/ä+", "/{id}"] {
            let compiled = compile(usual, Reach::Beginning(true)).map(|compiled| compiled.memory_usage());
            assert!(compiled.is_ok_and(|size| size <= MAX_SIZE), "{usual} {compiled:?}");
        }
        assert_eq!(compile("(", Reach::Whole).err(), Some(Unusable::Invalid));
    }

    #[test]
    fn literal_prefix_of_an_expression_is_found() {
        for (written, prefix) in [
            ("/x(/|$)(.*)", "/x"),
            ("^/cart/.*", "/cart/"),
            ("/carts?", "/cart"),
            ("/a{0}", "/"),
            ("/a+", "/a"),
            ("/.*", "/"),
            ("/ä?", "/"),
            ("/a|/b", ""),
            ("/a[|]b", "/a"),
            ("/a[[|]b|c", ""),
            (r"/a\|b", "/a"),
            (r"/a(\)|b)c", "/a"),
            ("/a(b|c", ""),
            ("(?i)/a", ""),
            ("/plain", "/plain"),
            ("", ""),
        ] {
            assert_eq!(literal_prefix(written), prefix, "{written}");
        }
    }

    #[test]
    fn syntax_is_read_as_proxies_read_it() {
        let matches =
            |written: &str, reach, text: &str| compile(written, reach).map(|compiled| compiled.is_match(text));
        for (written, text, expected) in [
            ("/[a&&b]", "/&", true),
            ("/[a&&b]", "/c", false),
            ("/[a[]+x", "/[ax", true),
            ("/[[:digit:]]{2}", "/12", true),
            ("/[]a]", "/]", true),
            ("/[^]a]", "/]", false),
            ("/[+--]", "/,", true),
            ("/{id}[{]", "/{id}{", true),
        ] {
            assert_eq!(matches(written, Reach::Whole, text), Ok(expected), "{written} {text}");
        }
        for possessive in ["/a++", "/a*+b", "/a?+", "/a{2}+"] {
            assert_eq!(matches(possessive, Reach::Whole, "/a").err(), Some(Unusable::Invalid), "{possessive}");
        }
        assert_eq!(matches("/a[+*]+", Reach::Whole, "/a*+"), Ok(true));
        // `^` belongs to the first alternative alone.
        let beginning = Reach::Beginning(true);
        assert_eq!(
            ["/a/x", "/x/b", "/x/a"].map(|text| matches("/a|/b", beginning, text)),
            [Ok(true), Ok(true), Ok(false)]
        );
    }

    #[test]
    fn refused_expressions_are_refused_by_everyone() {
        for written in ["/foo(", "/foo[", "/a)b", "/[z-a]", "/a|*", "/(+a)", "/((a)", "/a{5,2}"] {
            assert!(is_refused(written), "{written}");
        }
        for written in [
            "/foo(a)?",
            "/a{",
            "/{id}",
            "/a{2,1",
            "/[]a]",
            "/[a[b]",
            "/(?=a)",
            "/a\\(",
            "/x(?#(",
            "/a**",
            "/[a-c]+",
            "/([a[b])]",
        ] {
            assert!(!is_refused(written), "{written}");
        }
    }
}
