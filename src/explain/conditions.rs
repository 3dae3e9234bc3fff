//! The conditions of HTTPProxies, added up from the root down: prefixes are strung together, headers and parameters must all hold.

use std::borrow::Cow;

use crate::kinds::http_proxy::{Condition, HeaderCondition, QueryCondition};
use crate::matching::predicate::{Part, PartAt, PathTest, TextTest, ValueTest};
use crate::matching::{Path, PathType, Pattern};

/// The conditions of a route and of all includes above it.
#[derive(Debug, Clone, Default)]
pub(super) struct Conditions<'w> {
    /// The prefixes so far, strung together.
    beginning: String,
    exact: Option<&'w str>,
    regex: Option<&'w str>,
    pub(super) headers: Vec<ValueTest<'w>>,
    pub(super) query: Vec<ValueTest<'w>>,
}

impl<'w> Conditions<'w> {
    /// These and more.
    pub(super) fn with(&self, more: &'w [Condition<'w>]) -> Self {
        let mut all = self.clone();
        for condition in more {
            for (field, path) in condition.paths() {
                match field {
                    "exact" => all.exact = Some(path),
                    "regex" => all.regex = Some(path),
                    _ => all.beginning.push_str(path),
                }
            }
            all.headers.extend(condition.header.as_ref().map(header));
            all.query.extend(condition.query_parameter.as_ref().map(parameter));
        }
        all
    }

    /// What they ask of a path: an expression makes one of the whole, runs of slashes are one slash.
    pub(super) fn path(&self) -> PathTest<'w> {
        let whole = |end: &str| Cow::<'w, str>::Owned(collapsed(&format!("{}{end}", self.beginning)));
        match (self.regex, self.exact) {
            (Some(regex), _) => PathTest::Pattern(Pattern::new(whole(regex))),
            (None, Some(exact)) => PathTest::Path(Path { kind: PathType::Exact, text: whole(exact) }),
            (None, None) => PathTest::Begins(whole("")),
        }
    }

    /// The prefixes, as they count for what is included.
    pub(super) fn beginning(&self) -> String {
        collapsed(&self.beginning)
    }

    /// One text that two routes have in common just if they take the same requests.
    pub(super) fn key(&self) -> String {
        let mut values: Vec<String> = [&self.headers, &self.query]
            .into_iter()
            .flat_map(|tests| tests.iter().map(|test| format!("{test:?}")))
            .collect();
        values.sort();
        format!("{:?} {:?} {:?} {values:?}", self.beginning(), self.exact, self.regex)
    }
}

/// The path with runs of slashes made one, `/` where nothing is left.
fn collapsed(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for character in path.chars() {
        if character != '/' || !text.ends_with('/') {
            text.push(character);
        }
    }
    if text.is_empty() { "/".to_owned() } else { text }
}

fn header<'w>(condition: &'w HeaderCondition<'w>) -> ValueTest<'w> {
    let folds_case = condition.ignore_case;
    let part = |at, text: &'w str| TextTest::Has(Part { at, text, folds_case });
    let text = |text: &'w Option<crate::kinds::Text<'w>>| text.as_deref().filter(|text| !text.is_empty());
    let (test, is_negated) = if condition.not_present {
        (TextTest::Absent, false)
    } else if let Some(value) = text(&condition.exact) {
        (part(PartAt::Whole, value), false)
    } else if let Some(value) = text(&condition.not_exact) {
        (part(PartAt::Whole, value), true)
    } else if let Some(value) = text(&condition.contains) {
        (part(PartAt::Anywhere, value), false)
    } else if let Some(value) = text(&condition.not_contains) {
        (part(PartAt::Anywhere, value), true)
    } else if let Some(value) = text(&condition.regex) {
        (TextTest::Matches(Pattern::new(value)), false)
    } else {
        (TextTest::Any, false)
    };
    let test = plain(test);
    let name = Cow::Owned(condition.name.to_ascii_lowercase());
    ValueTest { name, test, is_negated, missing_is_empty: condition.treat_missing_as_empty }
}

fn parameter<'w>(condition: &'w QueryCondition<'w>) -> ValueTest<'w> {
    let folds_case = condition.ignore_case;
    let all = [
        (PartAt::Whole, &condition.exact),
        (PartAt::Start, &condition.prefix),
        (PartAt::End, &condition.suffix),
        (PartAt::Anywhere, &condition.contains),
    ];
    let part = all.into_iter().find_map(|(at, text)| {
        let text = text.as_deref().filter(|text| !text.is_empty())?;
        Some(TextTest::Has(Part { at, text, folds_case }))
    });
    let regex = condition.regex.as_deref().map(|regex| TextTest::Matches(Pattern::new(regex)));
    let test = plain(part.or(regex).unwrap_or(TextTest::Any));
    ValueTest::new(Cow::Borrowed(&condition.name), test)
}

/// A whole text whose case counts is just that text.
fn plain(test: TextTest<'_>) -> TextTest<'_> {
    match test {
        TextTest::Has(Part { at: PartAt::Whole, text, folds_case: false }) => TextTest::Is(text),
        test => test,
    }
}
