//! The conditions of HTTPProxies, added up from the root down: paths are strung together, headers and parameters must all hold.

use std::borrow::Cow;

use crate::finding::Finding;
use crate::kinds::http_proxy::{HeaderCondition, MatchCondition, QueryCondition};
use crate::matching::conditions::{MatchKey, canonical, collapsed};
use crate::matching::predicate::{Part, PartAt, PathTest, TextTest, ValueTest};
use crate::matching::{Path, PathType, Pattern};
use crate::validation::http_proxy::conditions;

/// The conditions of a route and of all includes above it.
#[derive(Debug, Clone, Default)]
pub(super) struct InheritedConditions<'w> {
    all: Vec<&'w MatchCondition<'w>>,
}

/// What two routes have in common just if they ask for the same: the form of the path, and all that is asked for.
pub(super) type Key<'w> = (PathType, bool, Vec<MatchKey<'w>>);

impl<'w> InheritedConditions<'w> {
    /// These and more.
    pub(super) fn with(&self, more: &'w [MatchCondition<'w>]) -> Self {
        Self { all: self.all.iter().copied().chain(more).collect() }
    }

    /// What they ask of a path: an expression makes one of the whole, else the last one decides whether it must be exact.
    pub(super) fn path(&self) -> PathTest<'w> {
        let path = self.beginning();
        match self.form() {
            (_, true) => PathTest::Pattern(Pattern::new(path)),
            (PathType::Exact, _) => PathTest::Path(Path { kind: PathType::Exact, text: Cow::Owned(path) }),
            _ => PathTest::Begins(Cow::Owned(path)),
        }
    }

    /// Whether the path is asked for exactly, and whether by an expression.
    fn form(&self) -> (PathType, bool) {
        let fields = || self.all.iter().flat_map(|condition| condition.paths()).map(|(field, _)| field);
        let is_exact = fields().last() == Some("exact");
        (if is_exact { PathType::Exact } else { PathType::Prefix }, fields().any(|field| field == "regex"))
    }

    /// The paths strung together; `/` where none is asked for.
    pub(super) fn beginning(&self) -> String {
        let paths = self.all.iter().flat_map(|condition| condition.paths());
        let path = collapsed(paths.flat_map(|(_, path)| path.chars()));
        if path.is_empty() { "/".to_owned() } else { path }
    }

    /// What they ask of headers.
    pub(super) fn headers(&self) -> Box<[ValueTest<'w>]> {
        self.all.iter().filter_map(|condition| header(condition.header.as_ref()?)).collect()
    }

    /// What they ask of query parameters.
    pub(super) fn query(&self) -> Box<[ValueTest<'w>]> {
        self.all.iter().filter_map(|condition| parameter(condition.query_parameter.as_ref()?)).collect()
    }

    pub(super) fn key(&self) -> Key<'w> {
        let (kind, is_pattern) = self.form();
        (kind, is_pattern, canonical(self.all.iter().copied()))
    }

    /// The first error of the conditions taken together.
    pub(super) fn error(&self) -> Option<Finding> {
        conditions::first_error(self.all.iter().copied())
    }
}

/// The test of a header; `None` where nothing is asked of it. Only a test that must fail may count a missing header as an empty one.
fn header<'w>(condition: &'w HeaderCondition<'w>) -> Option<ValueTest<'w>> {
    let (field, value) = condition.tests().next()?;
    let text = |at| text(at, value, condition.ignore_case);
    let (test, is_negated) = match field {
        "present" => (TextTest::Any, false),
        "notpresent" => (TextTest::Absent, false),
        "contains" => (text(PartAt::Anywhere), false),
        "notcontains" => (text(PartAt::Anywhere), true),
        "exact" => (text(PartAt::Whole), false),
        "notexact" => (text(PartAt::Whole), true),
        _ => (TextTest::Matches(Pattern::new(value)), false),
    };
    let name = Cow::Owned(condition.name.to_ascii_lowercase());
    Some(ValueTest { name, test, is_negated, missing_is_empty: is_negated && condition.treat_missing_as_empty })
}

/// The test of a query parameter.
fn parameter<'w>(condition: &'w QueryCondition<'w>) -> Option<ValueTest<'w>> {
    let (field, value) = condition.tests().next()?;
    let text = |at| text(at, value, condition.ignore_case);
    let test = match field {
        "exact" => text(PartAt::Whole),
        "prefix" => text(PartAt::Start),
        "suffix" => text(PartAt::End),
        "contains" => text(PartAt::Anywhere),
        "present" => TextTest::Any,
        _ => TextTest::Matches(Pattern::new(value)),
    };
    Some(ValueTest::new(Cow::Borrowed(&condition.name), test))
}

/// What decides between routes that ask for as many headers or parameters: name by name, then how, then the value, as Contour sorts them.
pub(super) fn rank(tests: &[ValueTest<'_>]) -> Vec<(String, u8, String, bool)> {
    let of_test = |test: &ValueTest<'_>| {
        let how = match &test.test {
            TextTest::Is(_) | TextTest::Has(Part { at: PartAt::Whole, .. }) => 0,
            TextTest::Matches(_) => 1,
            TextTest::Has(Part { at: PartAt::Start, .. }) => 2,
            TextTest::Has(Part { at: PartAt::End, .. }) => 3,
            TextTest::Has(Part { at: PartAt::Anywhere, .. }) => 4,
            TextTest::Any | TextTest::Absent | TextTest::Unknown(_) => 5,
        };
        let is_inverted = test.is_negated || matches!(test.test, TextTest::Absent);
        let value = if how == 5 { "" } else { test.test.written() };
        (test.name.to_string(), how, value.to_owned(), is_inverted)
    };
    let mut ranks: Vec<_> = tests.iter().map(of_test).collect();
    ranks.sort_unstable();
    ranks
}

/// A whole text whose case counts is just that text.
fn text(at: PartAt, text: &str, folds_case: bool) -> TextTest<'_> {
    match (at, folds_case) {
        (PartAt::Whole, false) => TextTest::Is(text),
        _ => TextTest::Has(Part { at, text, folds_case }),
    }
}
