//! Regular expressions that must match a whole text, as implementations of the Gateway API interpret them, in linear
//! time.

use std::borrow::Cow;
use std::sync::OnceLock;

use hashbrown::HashMap;
use regex_automata::meta::Regex;
use regex_syntax::ast::{ErrorKind, parse::Parser};
use regex_syntax::hir::{Dot, Hir, Repetition};

use super::compile::{MAX_TEXT, Reach, Unusable, compile, escaped, has_alternatives, parse_reaching};
use super::plain_pattern::is_plain;

/// A regular expression as written. It is compiled when it is first matched against a text, which never happens for
/// most.
#[derive(Debug, Clone)]
pub struct Pattern<'a> {
    /// The expression.
    pub written: Cow<'a, str>,
    reach: Reach,
    whole: OnceLock<Result<Regex, Unusable>>,
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

    /// Returns the pattern of an expression that must match as much of a text as `reach` says.
    pub fn reaching(written: impl Into<Cow<'a, str>>, reach: Reach) -> Self {
        Self { reach, ..Self::new(written) }
    }

    /// Whether it matches `text`. An expression that cannot be evaluated matches nothing.
    pub fn matches(&self, text: &str) -> bool {
        self.whole().is_ok_and(|regex| regex.is_match(text))
    }

    /// Why it cannot be evaluated, if so.
    pub fn unusable(&self) -> Option<Unusable> {
        self.whole().err()
    }

    /// The syntax tree of all texts that it matches as a whole.
    pub fn language(&self) -> Result<Hir, Unusable> {
        let own = parse_reaching(&self.written, self.reach)?;
        Ok(Hir::concat(match self.reach {
            Reach::Whole => vec![own],
            Reach::Beginning(_) if !has_alternatives(&self.written) => vec![own, any_text()],
            Reach::Beginning(_) | Reach::Anywhere(_) => vec![any_text(), own, any_text()],
        }))
    }

    fn whole(&self) -> Result<&Regex, Unusable> {
        self.whole.get_or_init(|| compile(&self.written, self.reach)).as_ref().map_err(|unusable| *unusable)
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
/// RE2 accepts but this parser does not is accepted: quoting with `\Q`, octal characters, and duplicate group names. Of
/// an expression longer than [`MAX_TEXT`] nothing is known.
pub fn fault(written: &str) -> Option<String> {
    if written.len() > MAX_TEXT {
        return None;
    }
    let error = Parser::new().parse(&escaped(written)).err()?;
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

/// The syntax tree of every text.
pub fn any_text() -> Hir {
    let every = Hir::dot(Dot::AnyByte);
    Hir::repetition(Repetition { min: 0, max: None, greedy: true, sub: Box::new(every) })
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
            assert_eq!(Pattern::new(unreadable).unusable(), Some(Unusable::Invalid), "{unreadable}");
            assert!(!matches(unreadable, "a"), "{unreadable}");
        }
        assert_eq!(Pattern::new("a".repeat(5000)).unusable(), Some(Unusable::TooLarge));
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
    fn patterns_that_re2_accepts_are_valid() {
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
}
