//! What a route or an include of an HTTPProxy asks of a request.

use serde::Deserialize;

use super::{Text, null_is_default, text_or_empty, text_or_none};
use crate::kinds::shape::maps_only;

/// A condition: one about the path, a header or a query parameter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct MatchCondition<'a> {
    /// The path begins with this.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub prefix: Option<Text<'a>>,
    /// The path is this.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub exact: Option<Text<'a>>,
    /// The path matches this pattern.
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
    /// What is said of the path, each with its field; an empty text says nothing.
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
    /// It is there.
    #[serde(deserialize_with = "null_is_default")]
    pub present: bool,
    /// It is not there.
    #[serde(rename = "notpresent", deserialize_with = "null_is_default")]
    pub not_present: bool,
    /// Its value holds this.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub contains: Option<Text<'a>>,
    /// Its value does not hold this.
    #[serde(borrow, rename = "notcontains", deserialize_with = "text_or_none")]
    pub not_contains: Option<Text<'a>>,
    /// Its value is this.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub exact: Option<Text<'a>>,
    /// Its value is not this.
    #[serde(borrow, rename = "notexact", deserialize_with = "text_or_none")]
    pub not_exact: Option<Text<'a>>,
    /// Its value matches this pattern.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub regex: Option<Text<'a>>,
    /// Whether case does not count.
    #[serde(deserialize_with = "null_is_default")]
    pub ignore_case: bool,
    /// Whether a header that is not there counts as one without a value.
    #[serde(deserialize_with = "null_is_default")]
    pub treat_missing_as_empty: bool,
}

impl<'a> HeaderCondition<'a> {
    /// What is asked of the header, by the fields' names, in the order in which Contour looks for the one that it takes. A field that
    /// is empty asks for nothing.
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
    /// Its value is this.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub exact: Option<Text<'a>>,
    /// Its value begins with this.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub prefix: Option<Text<'a>>,
    /// Its value ends with this.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub suffix: Option<Text<'a>>,
    /// Its value matches this pattern.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub regex: Option<Text<'a>>,
    /// Its value holds this.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub contains: Option<Text<'a>>,
    /// Whether case does not count.
    #[serde(deserialize_with = "null_is_default")]
    pub ignore_case: bool,
    /// It is there.
    #[serde(deserialize_with = "null_is_default")]
    pub present: bool,
}

impl<'a> QueryCondition<'a> {
    /// What is asked of the parameter, by the fields' names. A field that is empty asks for nothing.
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
