//! Regular expressions that must match a whole text, as implementations of the Gateway API interpret them, in linear
//! time.

use std::borrow::Cow;
use std::sync::OnceLock;

use hashbrown::HashMap;
use regex::Regex;
use regex_syntax::ast::{ErrorKind, parse::Parser};
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::plain_pattern::is_plain;
use crate::names::is_number;

/// The maximum length of a specimen in bytes.
const LONGEST: usize = 1024;

/// A regular expression as written. It is compiled when it is first matched against a text, which never happens for
/// most.
#[derive(Debug, Clone)]
pub struct Pattern<'a> {
    /// The expression.
    pub written: Cow<'a, str>,
    reach: Reach,
    whole: OnceLock<Option<Regex>>,
}

/// How much of a text an expression must match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// The whole text.
    Whole,
    /// The beginning of the text, ignoring case if `true`.
    Beginning(bool),
}

impl<'a> Pattern<'a> {
    /// Returns the pattern of an expression that must match a whole text.
    pub fn new(written: impl Into<Cow<'a, str>>) -> Self {
        Self { written: written.into(), reach: Reach::Whole, whole: OnceLock::new() }
    }

    /// Returns the pattern of an expression that must match the beginning of a text, as Ingress controllers match
    /// paths.
    pub fn of_beginning(written: impl Into<Cow<'a, str>>, ignores_case: bool) -> Self {
        Self { reach: Reach::Beginning(ignores_case), ..Self::new(written) }
    }

    /// Whether it matches `text`. An invalid expression matches nothing.
    pub fn matches(&self, text: &str) -> bool {
        self.whole().is_some_and(|regex| regex.is_match(text))
    }

    /// Whether the expression is valid.
    pub fn is_readable(&self) -> bool {
        self.whole().is_some()
    }

    /// A short text that it matches; `None` if none is found.
    pub fn specimen(&self) -> Option<String> {
        let mut text = String::new();
        write(&regex_syntax::parse(&literal_braces(&self.written)).ok()?, &mut text)?;
        self.matches(&text).then_some(text)
    }

    fn whole(&self) -> Option<&Regex> {
        self.whole.get_or_init(|| read(&self.written, self.reach)).as_ref()
    }
}

/// The syntax errors of expressions. Each distinct expression is parsed only once.
#[derive(Debug, Default)]
pub struct Faults<'t>(HashMap<&'t str, Option<String>>);

impl<'t> Faults<'t> {
    /// The syntax error of `written`, if any.
    pub fn of(&mut self, written: &'t str) -> Option<&str> {
        match is_plain(written) {
            true => None,
            false => self.0.entry(written).or_insert_with(|| fault(written)).as_deref(),
        }
    }
}

/// The syntax error of `written`, if any. The expression is parsed and not compiled, so the cost is small. Syntax that
/// RE2 accepts but this parser does not is accepted: quoting with `\Q`, octal characters, and duplicate group names.
pub fn fault(written: &str) -> Option<String> {
    let error = Parser::new().parse(&literal_braces(written)).err()?;
    let text = &error.pattern()[error.span().start.offset..];
    Some(match error.kind() {
        ErrorKind::EscapeUnrecognized if text.starts_with("\\Q") || text.starts_with("\\E") => return None,
        ErrorKind::UnsupportedBackreference if is_number_of_two(text) => return None,
        ErrorKind::GroupNameDuplicate { .. } => return None,
        ErrorKind::UnsupportedLookAround => "look-around is not supported by every proxy".to_owned(),
        ErrorKind::UnsupportedBackreference => "back-references are not supported by every proxy".to_owned(),
        kind => kind.to_string(),
    })
}

/// Whether a text begins with an octal character such as `\101`, which is not a back-reference.
fn is_number_of_two(text: &str) -> bool {
    let digits = text.trim_start_matches('\\').chars();
    digits.take(2).filter(char::is_ascii_digit).count() == 2
}

/// Escapes each brace that does not begin a repetition, because RE2 treats it as a literal: `/{id}` is literal text.
fn literal_braces(written: &str) -> Cow<'_, str> {
    if !written.contains('{') {
        return Cow::Borrowed(written);
    }
    let (mut read, mut rest, mut is_class) = (String::with_capacity(written.len() + 8), written, false);
    while let Some(next) = rest.chars().next() {
        let taken = match next {
            // The escaped character is included, and so are the braces of a named class or a numbered character.
            '\\' => escape(rest),
            '{' if !is_class && !is_count(rest) => {
                read.push('\\');
                1
            }
            _ => next.len_utf8(),
        };
        is_class = match next {
            '[' => true,
            ']' => false,
            _ => is_class,
        };
        read.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    Cow::Owned(read)
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

/// Compiles the expression anchored at both ends of a text, or at its beginning. The expression is combined as a syntax
/// tree, so it cannot change the meaning of the anchors.
fn read(written: &str, reach: Reach) -> Option<Regex> {
    let ignores_case = reach == Reach::Beginning(true);
    let mut parser = regex_syntax::ParserBuilder::new().case_insensitive(ignores_case).build();
    let mut parts = vec![Hir::look(Look::Start), parser.parse(&literal_braces(written)).ok()?];
    parts.extend((reach == Reach::Whole).then(|| Hir::look(Look::End)));
    Regex::new(&Hir::concat(parts).to_string()).ok()
}

/// Appends a text that `part` matches. Assertions are ignored, so the caller must test the result.
fn write(part: &Hir, text: &mut String) -> Option<()> {
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(Class::Unicode(class)) => text.push(class.ranges().first()?.start()),
        HirKind::Class(Class::Bytes(class)) => text.push(char::from(class.ranges().first()?.start())),
        HirKind::Repetition(repeated) => {
            for _ in 0..repeated.min {
                let before = text.len();
                write(&repeated.sub, text)?;
                // If one repetition adds no text, further ones do not, either.
                if text.len() == before {
                    break;
                }
            }
        }
        HirKind::Capture(group) => write(&group.sub, text)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, text))?,
        HirKind::Alternation(parts) => write(parts.first()?, text)?,
    }
    (text.len() <= LONGEST).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_takes_whole_texts_only() {
        let matches = |pattern: &str, text: &str| Pattern::new(pattern).matches(text);
        assert!(matches("/v[0-9]+", "/v12") && !matches("/v[0-9]+", "/v12/") && !matches("/v[0-9]+", "x/v1"));
        assert!(matches("a|ab", "ab") && matches("a|ab", "a") && !matches("a|ab", "abc"));
        assert!(matches("^/a$", "/a") && matches("(?i)/A", "/a") && matches("(?x) /a # why", "/a"));
        for unreadable in ["(", "a)|(b", "(?=a)", "[z-a]"] {
            assert!(!Pattern::new(unreadable).is_readable() && !matches(unreadable, "a"), "{unreadable}");
        }
    }

    #[test]
    fn an_expression_is_read_once() {
        let written = ["/a", "(", "/a{2}", "(", "/a"];
        let mut faults = Faults::default();
        let found = written.map(|written| faults.of(written).map(str::to_owned));
        assert_eq!(found, written.map(fault));
        assert_eq!(faults.0.len(), 2, "what is sound at a glance is not even kept");
    }

    #[test]
    fn what_re2_reads_is_no_fault() {
        for (pattern, text) in [("/{id}", "/{id}"), ("/x{a}+", "/x{a}}"), ("/z{,3}", "/z{,3}"), ("a{2}{", "aa{")] {
            assert!(fault(pattern).is_none() && Pattern::new(pattern).matches(text), "{pattern}");
        }
        for (pattern, text) in
            [("[{a]{2}", "{a"), (r"\{a}", "{a}"), (r"\p{Lu}{1,2}", "AB"), (r"\x{41}", "A"), ("{ä}", "{ä}")]
        {
            assert!(fault(pattern).is_none() && Pattern::new(pattern).matches(text), "{pattern}");
        }
        assert!([r"/q\Q.\E[0-9]+", r"/\101", "(?P<n>a)(?P<n>b)"].into_iter().all(|pattern| fault(pattern).is_none()));
        assert!(
            ["(", "a)|(b", "(?=a)", "[z-a]", "*", r"(a)\1", "{1}"].into_iter().all(|pattern| fault(pattern).is_some())
        );
    }

    #[test]
    fn a_specimen_is_taken() {
        for (pattern, specimen) in [("/v[0-9]+/(a|b)", "/v0/a"), ("", ""), ("a{3}b*", "aaa"), ("(?:x|y)?z", "z")] {
            assert_eq!(Pattern::new(pattern).specimen().as_deref(), Some(specimen), "{pattern}");
        }
        assert_eq!(Pattern::new("a^b").specimen(), None);
        assert_eq!(Pattern::new("a{1025}").specimen(), None);
        assert_eq!(Pattern::new("(((a{30}){30}){30}){30}").specimen(), None);
    }
}
