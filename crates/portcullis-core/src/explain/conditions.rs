//! The conditions of HTTPProxies, combined from the root down: paths are concatenated, and all header and parameter
//! conditions must hold.

use std::borrow::Cow;

use crate::finding::Finding;
use crate::kinds::http_proxy::{HeaderCondition, MatchCondition, QueryCondition};
use crate::matching::conditions::{MatchKey, canonical, collapsed};
use crate::matching::predicate::{PartAt, PathTest, TextPart, TextTest, ValueTest};
use crate::matching::{Path, PathType, Pattern};
use crate::validation::http_proxy::conditions;

/// The conditions of a route and of all includes above it.
#[derive(Debug, Clone, Default)]
pub(super) struct InheritedConditions<'w> {
    all: Vec<&'w MatchCondition<'w>>,
}

/// Identifies the conditions of a route: two routes have equal keys exactly if their conditions are the same. It
/// consists of the type of the path, whether it is a regular expression, and all conditions in canonical form.
pub(super) type ConditionsKey<'w> = (PathType, bool, Vec<MatchKey<'w>>);

impl<'w> InheritedConditions<'w> {
    /// These conditions and `more`.
    pub(super) fn with(&self, more: &'w [MatchCondition<'w>]) -> Self {
        Self { all: self.all.iter().copied().chain(more).collect() }
    }

    /// The combined condition on the path. If any part is a regular expression, the whole path is one; otherwise the
    /// last part decides whether it is exact.
    pub(super) fn path(&self) -> PathTest<'w> {
        let path = self.beginning();
        match self.form() {
            (_, true) => PathTest::Pattern(Pattern::new(path)),
            (PathType::Exact, _) => PathTest::Path(Path { kind: PathType::Exact, text: Cow::Owned(path) }),
            _ => PathTest::Begins(Cow::Owned(path)),
        }
    }

    /// Whether the path is exact or a prefix, and whether it is a regular expression.
    fn form(&self) -> (PathType, bool) {
        let fields = || self.all.iter().flat_map(|condition| condition.paths()).map(|(field, _)| field);
        let is_exact = fields().last() == Some("exact");
        (if is_exact { PathType::Exact } else { PathType::Prefix }, fields().any(|field| field == "regex"))
    }

    /// The concatenated path; `/` without a path condition.
    pub(super) fn beginning(&self) -> String {
        let paths = self.all.iter().flat_map(|condition| condition.paths());
        let path = collapsed(paths.flat_map(|(_, path)| path.chars()));
        if path.is_empty() { "/".to_owned() } else { path }
    }

    /// The conditions on headers.
    pub(super) fn headers(&self) -> Box<[ValueTest<'w>]> {
        self.all.iter().filter_map(|condition| header(condition.header.as_ref()?)).collect()
    }

    /// The conditions on query parameters.
    pub(super) fn query(&self) -> Box<[ValueTest<'w>]> {
        self.all.iter().filter_map(|condition| parameter(condition.query_parameter.as_ref()?)).collect()
    }

    pub(super) fn key(&self) -> ConditionsKey<'w> {
        let (kind, is_pattern) = self.form();
        (kind, is_pattern, canonical(self.all.iter().copied()))
    }

    /// The first error in the combined conditions.
    pub(super) fn error(&self) -> Option<Finding> {
        conditions::first_error(self.all.iter().copied())
    }
}

/// The test of a header; `None` if the condition has no operator. A missing header counts as empty only for a negated
/// test.
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

/// Decides between routes with equally many conditions on headers or parameters, as Contour sorts them: by name, then
/// by type of match, then by value.
pub(super) fn rank(tests: &[ValueTest<'_>]) -> Vec<(String, u8, String, bool)> {
    let of_test = |test: &ValueTest<'_>| {
        let how = match &test.test {
            TextTest::Is(_) | TextTest::Has(TextPart { at: PartAt::Whole, .. }) => 0,
            TextTest::Matches(_) => 1,
            TextTest::Has(TextPart { at: PartAt::Start, .. }) => 2,
            TextTest::Has(TextPart { at: PartAt::End, .. }) => 3,
            TextTest::Has(TextPart { at: PartAt::Anywhere, .. }) => 4,
            TextTest::OneOf(_) | TextTest::Any | TextTest::Absent | TextTest::Unknown(_) => 5,
        };
        let is_inverted = test.is_negated || matches!(test.test, TextTest::Absent);
        let value = if how == 5 { String::new() } else { test.test.written().into_owned() };
        (test.name.to_string(), how, value, is_inverted)
    };
    let mut ranks: Vec<_> = tests.iter().map(of_test).collect();
    ranks.sort_unstable();
    ranks
}

/// Matching a whole text with its case is the same as equality.
fn text(at: PartAt, text: &str, folds_case: bool) -> TextTest<'_> {
    match (at, folds_case) {
        (PartAt::Whole, false) => TextTest::Is(text.into()),
        _ => TextTest::Has(TextPart { at, text, folds_case }),
    }
}
