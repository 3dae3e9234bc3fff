//! The classes of values of one header or query parameter that conditions tell apart.

use std::collections::BTreeSet;

use regex_syntax::hir::{Dot, Hir};

use super::automaton::Automaton;
use crate::matching::ValueTest;
use crate::matching::pattern::{Pattern, any_text};
use crate::matching::predicate::{PartAt, TextPart, TextTest};

/// The characters of examples, the most readable first.
const ALPHABET: &[u8] =
    b"xabcdefghijklmnopqrstuvwyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_./:@!*~,;=()\"%+?&[]{}<>#$'\\^`| ";

/// One value of each class, without that of an absent header or parameter. Fails with the reason if they cannot be told.
pub(super) fn classes(tests: &[&ValueTest<'_>]) -> Result<Vec<String>, String> {
    let is_whole =
        |test: &&ValueTest<'_>| !matches!(test.test, TextTest::Matches(_) | TextTest::Has(_) | TextTest::OneOf(_));
    let texts: BTreeSet<&str> = tests
        .iter()
        .filter_map(|test| match &test.test {
            TextTest::Is(text) => Some(&**text),
            _ => None,
        })
        .collect();
    if tests.iter().all(is_whole) {
        let mut other = "x".to_owned();
        while texts.contains(other.as_str()) {
            other.push('x');
        }
        return Ok(texts.into_iter().map(str::to_owned).chain([other]).collect());
    }
    let mut expressions = Vec::new();
    for test in tests {
        let hir = language(&test.test)
            .ok_or_else(|| format!("{} of {} cannot be evaluated", test.test.written(), test.name))?;
        if !expressions.contains(&hir) {
            expressions.push(hir);
        }
    }
    let too_large = |_| format!("the expressions for {} are too large together", tests[0].name);
    let automaton = Automaton::new(&expressions).map_err(too_large)?;
    let found = automaton.combinations("", ALPHABET.iter().copied().map(char::from), None).map_err(too_large)?;
    let example = |examples: Vec<String>| {
        let first = examples.iter().find(|text| text.is_empty() || !text.trim().is_empty());
        examples.iter().find(|text| !text.trim().is_empty()).or(first).cloned()
    };
    Ok(found.into_iter().filter_map(|combination| example(combination.examples)).collect())
}

/// The syntax tree of the values that pass.
fn language(test: &TextTest<'_>) -> Option<Hir> {
    Some(match test {
        TextTest::Is(text) => Hir::literal(text.as_bytes()),
        TextTest::Matches(pattern) if pattern.unusable().is_some() => return None,
        TextTest::Matches(pattern) => pattern.language().ok()?,
        TextTest::Has(TextPart { at, text, folds_case }) => {
            let flag = if *folds_case { "(?i)" } else { "" };
            let part = Pattern::new(format!("{flag}{}", regex_syntax::escape(text))).language().ok()?;
            let any = any_text;
            Hir::concat(match at {
                PartAt::Whole => vec![part],
                PartAt::Start => vec![part, any()],
                PartAt::End => vec![any(), part],
                PartAt::Anywhere => vec![any(), part, any()],
            })
        }
        TextTest::OneOf(tests) => Hir::alternation(tests.iter().map(language).collect::<Option<_>>()?),
        TextTest::Any => Hir::concat(vec![Hir::dot(Dot::AnyByte), any_text()]),
        TextTest::Absent | TextTest::Unknown(_) => Hir::fail(),
    })
}
