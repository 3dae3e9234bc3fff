//! The variables that a tool fills in before objects are applied: `${NAME}` in a text, as in the post-build substitution of Flux.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use portcullis_core::report::Position;

/// The values of variables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables(Arc<BTreeMap<String, String>>);

/// Flux leaves out an object with this label or annotation, whose value is `disabled`.
const SWITCH: &str = "kustomize.toolkit.fluxcd.io/substitute";

impl Variables {
    /// The variables in a text with a line `NAME=value` for each. A value may be in quotes; otherwise ` #` begins a comment. Fails with
    /// the first line that is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut values = BTreeMap::new();
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let line = line.strip_prefix("export ").unwrap_or(line);
            let pair = line.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
            let Some((name, value)) = pair.filter(|(name, _)| is_name(name)) else {
                return Err(format!("line {}: must be NAME=value", index + 1));
            };
            values.insert(name.to_owned(), unquoted(value).to_owned());
        }
        Ok(Self(values.into()))
    }

    /// The value of `NAME`, `NAME:-default` or `NAME:=default`; `None` if it is not known, or if this is not a variable.
    fn value<'v>(&'v self, inside: &'v str) -> Option<&'v str> {
        let (name, default) = match inside.split_once(':') {
            Some((name, rest)) => (name, Some(rest.strip_prefix(['-', '='])?)),
            None => (inside, None),
        };
        let value = self.0.get(name).filter(|value| default.is_none() || !value.is_empty());
        value.map(String::as_str).or(default).filter(|_| is_name(name))
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

fn unquoted(value: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some((inside, _)) = value.strip_prefix(quote).and_then(|rest| rest.split_once(quote)) {
            return inside;
        }
    }
    let comment = if value.starts_with('#') { Some(0) } else { value.find(" #") };
    value[..comment.unwrap_or(value.len())].trim_end()
}

/// A text in which variables are filled in. No value contains the end of a line, so each line is the same as before.
#[derive(Debug)]
pub(super) struct Filled<'t> {
    /// The text.
    pub text: Cow<'t, str>,
    original: &'t str,
    /// What is filled in, in order.
    edits: Vec<Edit>,
}

#[derive(Debug)]
struct Edit {
    /// The value in the new text.
    filled: Range<usize>,
    /// The variable in the original text.
    written: Range<usize>,
}

impl<'t> Filled<'t> {
    /// The text with the values of the variables that are known.
    pub fn of(original: &'t str, variables: Option<&Variables>) -> Self {
        let (mut text, mut edits, mut from) = (String::new(), Vec::new(), 0);
        for (written, value) in variables.into_iter().flat_map(|variables| found(original, variables)) {
            text.push_str(&original[from..written.start]);
            let start = text.len();
            text.push_str(value);
            from = written.end;
            edits.push(Edit { filled: start..text.len(), written });
        }
        if edits.is_empty() {
            return Self { text: Cow::Borrowed(original), original, edits };
        }
        text.push_str(&original[from..]);
        Self { text: Cow::Owned(text), original, edits }
    }

    /// Where a byte of the text is in the original text. A byte of a value is where its variable begins.
    pub fn offset(&self, filled: usize) -> usize {
        let before = self.edits.partition_point(|edit| edit.filled.start <= filled);
        match before.checked_sub(1).and_then(|last| self.edits.get(last)) {
            None => filled,
            Some(edit) if filled < edit.filled.end => edit.written.start,
            Some(edit) => edit.written.end + (filled - edit.filled.end),
        }
    }

    /// Where a position of the text is in the original text.
    pub fn position(&self, position: Position) -> Position {
        let Position { line, column } = position;
        let start = |text: &str| match line.checked_sub(2) {
            None => Some(0),
            Some(index) => memchr::memchr_iter(b'\n', text.as_bytes()).nth(index).map(|end| end + 1),
        };
        let (Some(filled), Some(original)) = (start(&self.text), start(self.original)) else { return position };
        let before: usize = self.text[filled..].chars().take(column.saturating_sub(1)).map(char::len_utf8).sum();
        let end = self.offset(filled + before);
        let written = self.original.get(original..end).map_or(column, |before| before.chars().count() + 1);
        Position { line, column: written }
    }
}

/// The known variables of a text, each with its value.
fn found<'v>(text: &'v str, variables: &'v Variables) -> impl Iterator<Item = (Range<usize>, &'v str)> {
    let documents = text.split_inclusive("\n---").scan(0, |from, document| {
        let start = *from;
        *from += document.len();
        Some((start, document))
    });
    let filled = documents.filter(|(_, document)| !(document.contains(SWITCH) && document.contains("disabled")));
    filled.flat_map(move |(start, document)| {
        document.match_indices("${").filter_map(move |(at, _)| {
            let inside = document[at + 2..].split_once('}')?.0;
            // `$${NAME}` stays as `${NAME}`, and a default that contains a variable is not evaluated.
            let is_plain = !document[..at].ends_with('$') && !inside.contains(['\n', '{', '$']);
            let value = variables.value(inside).filter(|_| is_plain)?;
            Some((start + at..start + at + inside.len() + 3, value))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables() -> Variables {
        let text =
            "# Flux\nDOMAIN=example.com\n\nexport HOST = \"shop #1\" # a comment\nTEAM=web # a comment\nEMPTY=\n";
        Variables::parse(text).expect("variables")
    }

    #[test]
    fn each_line_is_a_variable() {
        let expected = [("DOMAIN", "example.com"), ("EMPTY", ""), ("HOST", "shop #1"), ("TEAM", "web")];
        let all: Vec<_> = variables().0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(all, expected.map(|(name, value)| format!("{name}={value}")));
        for (text, line) in [("A=1\nb", 2), ("1=2", 1), ("A: b", 1), ("a-b=c", 1)] {
            assert_eq!(Variables::parse(text), Err(format!("line {line}: must be NAME=value")), "{text}");
        }
    }

    #[test]
    fn only_known_variables_in_braces_are_filled_in() {
        for (text, expected) in [
            ("shop.${DOMAIN}/${TEAM}", "shop.example.com/web"),
            ("${DOMAIN:-a.b} ${DOMAIN:=a.b}", "example.com example.com"),
            ("${OTHER:-a.b} ${OTHER:=} ${EMPTY:-c}.", "a.b  c."),
            ("[${EMPTY}]", "[]"),
            ("${OTHER} $DOMAIN /$1 ${1} ${} ${DOMAIN", "${OTHER} $DOMAIN /$1 ${1} ${} ${DOMAIN"),
            (
                "$${DOMAIN} ${A:-${DOMAIN}} ${DOMAIN:1} ${DOMAIN-x}",
                "$${DOMAIN} ${A:-example.com} ${DOMAIN:1} ${DOMAIN-x}",
            ),
            (
                "a: ${TEAM}\n---\nkustomize.toolkit.fluxcd.io/substitute: disabled\na: ${TEAM}\n---\na: ${TEAM}",
                "a: web\n---\nkustomize.toolkit.fluxcd.io/substitute: disabled\na: ${TEAM}\n---\na: web",
            ),
        ] {
            assert_eq!(Filled::of(text, Some(&variables())).text, expected);
            assert_eq!(Filled::of(text, None).text, text);
        }
    }

    #[test]
    fn positions_are_those_of_the_original_text() {
        let text = "ü: ${DOMAIN}, x\na: ${TEAM} é ${EMPTY} y";
        let variables = variables();
        let filled = Filled::of(text, Some(&variables));
        assert_eq!(filled.text, "ü: example.com, x\na: web é  y");
        for letter in ['ü', ',', 'x', 'a', 'é', 'y'] {
            let at = |text: &str| text.rfind(letter).expect("the letter");
            let place = |text: &str| {
                let before = &text[..at(text)];
                let line = before.rsplit('\n').next().unwrap_or_default();
                let (line, column) = (before.matches('\n').count() + 1, line.chars().count() + 1);
                Position { line, column }
            };
            if letter != 'a' {
                assert_eq!(filled.offset(at(&filled.text)), at(text), "{letter}");
                assert_eq!(filled.position(place(&filled.text)), place(text), "{letter}");
            }
        }
        // In a value, the variable.
        assert_eq!(filled.position(Position { line: 1, column: 9 }), Position { line: 1, column: 4 });
        assert_eq!(filled.position(Position { line: 9, column: 9 }), Position { line: 9, column: 9 });
    }
}
