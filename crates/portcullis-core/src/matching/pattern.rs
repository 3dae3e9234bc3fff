//! Regular expressions that must match a whole text, as the implementations of the Gateway API read them; in linear time.

use std::borrow::Cow;
use std::sync::OnceLock;

use hashbrown::HashMap;
use regex::Regex;
use regex_syntax::ast::{ErrorKind, parse::Parser};
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::plain_pattern::is_plain;
use crate::names::is_number;

/// The most bytes of a specimen.
const LONGEST: usize = 1024;

/// A regular expression as written. It is read when the first text is held against it, which for most never happens.
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
    /// All of it.
    Whole,
    /// Its beginning, in any case of letters where `true`.
    Beginning(bool),
}

impl<'a> Pattern<'a> {
    /// The pattern of an expression.
    pub fn new(written: impl Into<Cow<'a, str>>) -> Self {
        Self { written: written.into(), reach: Reach::Whole, whole: OnceLock::new() }
    }

    /// The pattern of an expression that must match the beginning of a text, as Ingress controllers read paths.
    pub fn of_beginning(written: impl Into<Cow<'a, str>>, ignores_case: bool) -> Self {
        Self { reach: Reach::Beginning(ignores_case), ..Self::new(written) }
    }

    /// Whether it matches the whole of `text`; one that cannot be read matches nothing.
    pub fn matches(&self, text: &str) -> bool {
        self.whole().is_some_and(|regex| regex.is_match(text))
    }

    /// Whether it can be read.
    pub fn is_readable(&self) -> bool {
        self.whole().is_some()
    }

    /// A text that it takes, of the shortest in sight; `None` where none is found.
    pub fn specimen(&self) -> Option<String> {
        let mut text = String::new();
        write(&regex_syntax::parse(&literal_braces(&self.written)).ok()?, &mut text)?;
        self.matches(&text).then_some(text)
    }

    fn whole(&self) -> Option<&Regex> {
        self.whole.get_or_init(|| read(&self.written, self.reach)).as_ref()
    }
}

/// Why expressions are none, each read once however often it is written.
#[derive(Debug, Default)]
pub struct Faults<'t>(HashMap<&'t str, Option<String>>);

impl<'t> Faults<'t> {
    /// Why `written` is no regular expression.
    pub fn of(&mut self, written: &'t str) -> Option<&str> {
        match is_plain(written) {
            true => None,
            false => self.0.entry(written).or_insert_with(|| fault(written)).as_deref(),
        }
    }
}

/// Why `written` is no regular expression. It is read and not compiled, so that none is dear. What RE2 reads and we do not is no fault: a
/// quotation, a character by its number, a group named like another.
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

/// Whether a text begins with a character by its number, such as `\101`, in place of a reference to a group.
fn is_number_of_two(text: &str) -> bool {
    let digits = text.trim_start_matches('\\').chars();
    digits.take(2).filter(char::is_ascii_digit).count() == 2
}

/// The expression with each brace that begins no number of repetitions as the character that RE2 takes it for: `/{id}` is a text.
fn literal_braces(written: &str) -> Cow<'_, str> {
    if !written.contains('{') {
        return Cow::Borrowed(written);
    }
    let (mut read, mut rest, mut is_class) = (String::with_capacity(written.len() + 8), written, false);
    while let Some(next) = rest.chars().next() {
        let taken = match next {
            // With what it escapes, and the braces of a class by name or a character by number.
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

/// The bytes of the escape at the beginning of a text.
fn escape(text: &str) -> usize {
    let of = text.chars().nth(1);
    let plain = 1 + of.map_or(0, char::len_utf8);
    match (of, text.as_bytes().get(plain), text.find('}')) {
        (Some('p' | 'P' | 'x' | 'u' | 'U'), Some(b'{'), Some(end)) => end + 1,
        _ => plain,
    }
}

/// Whether a text begins with a number of repetitions: `{2}`, `{2,}` or `{2,3}`.
fn is_count(text: &str) -> bool {
    let inner = text.strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(inner, _)| inner);
    inner.is_some_and(|inner| match inner.split_once(',') {
        Some((least, most)) => is_number(least) && (most.is_empty() || is_number(most)),
        None => is_number(inner),
    })
}

/// The expression between both ends of a text, or behind its beginning: put together as a tree, so that nothing it holds can reach around
/// the ends.
fn read(written: &str, reach: Reach) -> Option<Regex> {
    let ignores_case = reach == Reach::Beginning(true);
    let mut parser = regex_syntax::ParserBuilder::new().case_insensitive(ignores_case).build();
    let mut parts = vec![Hir::look(Look::Start), parser.parse(&literal_braces(written)).ok()?];
    parts.extend((reach == Reach::Whole).then(|| Hir::look(Look::End)));
    Regex::new(&Hir::concat(parts).to_string()).ok()
}

/// Adds a text that `part` matches; looks around are left to whoever tries it.
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
                // What adds nothing once adds nothing ever.
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
