//! The conditions on requests in routes and includes of an HTTPProxy.

use serde::Deserialize;

use super::{Text, null_is_default, text_or_empty, text_or_none};
use crate::kinds::shape::maps_only;

/// A condition on the path, a header or a query parameter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct MatchCondition<'a> {
    /// The path must begin with this text.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub prefix: Option<Text<'a>>,
    /// The path must be equal to this text.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub exact: Option<Text<'a>>,
    /// The path must match this pattern.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub regex: Option<Text<'a>>,
    /// A header.
    #[serde(borrow)]
    pub header: Option<HeaderCondition<'a>>,
    /// A query parameter.
    #[serde(borrow)]
    pub query_parameter: Option<QueryCondition<'a>>,
}

impl<'a> MatchCondition<'a> {
    /// The conditions on the path, each with its field. An empty field sets no condition.
    pub fn paths(&self) -> impl Iterator<Item = (&'static str, &Text<'a>)> {
        let all = [("prefix", &self.prefix), ("exact", &self.exact), ("regex", &self.regex)];
        all.into_iter().filter_map(|(field, path)| Some((field, path.as_ref().filter(|path| !path.is_empty())?)))
    }
}

/// `header` of a condition.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct HeaderCondition<'a> {
    /// The header's name.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// It must be present.
    #[serde(deserialize_with = "null_is_default")]
    pub present: bool,
    /// It must be absent.
    #[serde(rename = "notpresent", deserialize_with = "null_is_default")]
    pub not_present: bool,
    /// The value must contain this text.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub contains: Option<Text<'a>>,
    /// The value must not contain this text.
    #[serde(borrow, rename = "notcontains", deserialize_with = "text_or_none")]
    pub not_contains: Option<Text<'a>>,
    /// The value must be equal to this text.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub exact: Option<Text<'a>>,
    /// The value must not be equal to this text.
    #[serde(borrow, rename = "notexact", deserialize_with = "text_or_none")]
    pub not_exact: Option<Text<'a>>,
    /// The value must match this pattern.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub regex: Option<Text<'a>>,
    /// Whether case is ignored.
    #[serde(deserialize_with = "null_is_default")]
    pub ignore_case: bool,
    /// Whether an absent header is treated as one with an empty value.
    #[serde(deserialize_with = "null_is_default")]
    pub treat_missing_as_empty: bool,
}

impl<'a> HeaderCondition<'a> {
    /// The tests of the header by field name, in the order in which Contour evaluates them; Contour uses only the
    /// first. An empty field adds no test.
    pub fn tests(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let tests = [
            ("present", self.present.then_some("")),
            ("notpresent", self.not_present.then_some("")),
            ("contains", written(&self.contains)),
            ("notcontains", written(&self.not_contains)),
            ("exact", written(&self.exact)),
            ("notexact", written(&self.not_exact)),
            ("regex", written(&self.regex)),
        ];
        tests.into_iter().filter_map(|(field, value)| Some((field, value?)))
    }
}

/// `queryParameter` of a condition.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct QueryCondition<'a> {
    /// The parameter's name.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// The value must be equal to this text.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub exact: Option<Text<'a>>,
    /// The value must begin with this text.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub prefix: Option<Text<'a>>,
    /// The value must end with this text.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub suffix: Option<Text<'a>>,
    /// The value must match this pattern.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub regex: Option<Text<'a>>,
    /// The value must contain this text.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub contains: Option<Text<'a>>,
    /// Whether case is ignored.
    #[serde(deserialize_with = "null_is_default")]
    pub ignore_case: bool,
    /// It must be present.
    #[serde(deserialize_with = "null_is_default")]
    pub present: bool,
}

impl<'a> QueryCondition<'a> {
    /// The tests of the query parameter by field name. An empty field adds no test.
    pub fn tests(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let tests = [
            ("exact", written(&self.exact)),
            ("prefix", written(&self.prefix)),
            ("suffix", written(&self.suffix)),
            ("regex", written(&self.regex)),
            ("contains", written(&self.contains)),
            ("present", self.present.then_some("")),
        ];
        tests.into_iter().filter_map(|(field, value)| Some((field, value?)))
    }
}

/// A text that is not empty.
fn written<'t>(text: &'t Option<Text<'_>>) -> Option<&'t str> {
    text.as_deref().filter(|text| !text.is_empty())
}

maps_only!(MatchCondition, HeaderCondition, QueryCondition);
