//! The conditions of a rule on one request: its path or gRPC method, headers and query parameters, each as a test of
//! the values that the client sent.

use std::borrow::Cow;
use std::fmt;

use hashbrown::HashSet;

use super::compile::Unusable;
use super::pattern::Pattern;
use super::{GatewayDialect, Path, PathType};
use crate::kinds::grpc_route::MethodMatch;
use crate::kinds::http_route::{NameValueMatch, PathMatch};

/// A test of the path of a request (without query, not decoded).
#[derive(Debug, Clone)]
pub enum PathTest<'a> {
    /// Every request, including one without a path.
    All,
    /// A path that matches byte by byte or element by element.
    Path(Path<'a>),
    /// A text prefix, which need not end at an element: `/blog` also matches `/blogger`, as in the prefixes of proxies.
    Begins(Cow<'a, str>),
    /// A regular expression.
    Pattern(Pattern<'a>),
    /// A gRPC method.
    Call(GrpcMethodTest<'a>),
    /// An unknown type, as written. It matches nothing.
    Unknown(&'a str),
}

impl<'a> PathTest<'a> {
    /// Returns the test for `path` of an HTTPRoute match. An absent path matches every path. An expression must match the whole path.
    pub fn of_http(path: Option<&'a PathMatch<'_>>) -> Self {
        Self::of_http_in(path, GatewayDialect::ASSUMED)
    }

    /// The same for an implementation with this dialect.
    pub fn of_http_in(path: Option<&'a PathMatch<'_>>, dialect: GatewayDialect) -> Self {
        let written = path.map_or("/", PathMatch::value);
        match path.map_or("PathPrefix", PathMatch::kind) {
            "PathPrefix" => Self::Path(Path::new(PathType::Prefix, Some(written))),
            "Exact" => Self::Path(Path::new(PathType::Exact, Some(written))),
            "RegularExpression" => Self::Pattern(Pattern::reaching(written, dialect.reach)),
            other => Self::Unknown(other),
        }
    }

    /// Returns the test for `method` of a GRPCRoute match. An absent or empty method matches every path.
    pub fn of_grpc(method: Option<&'a MethodMatch<'_>>) -> Self {
        let Some(method) = method else { return Self::All };
        let part = |part: &'a Option<crate::kinds::Text<'_>>| part.as_deref().filter(|text| !text.is_empty());
        let (service, name) = (part(&method.service), part(&method.method));
        if service.is_none() && name.is_none() {
            return Self::All;
        }
        let text: fn(&'a str) -> TextTest<'a> = match method.kind() {
            "Exact" => |written| TextTest::Is(written.into()),
            "RegularExpression" => |written| TextTest::Matches(Pattern::new(written)),
            other => return Self::Unknown(other),
        };
        Self::Call(GrpcMethodTest { service: service.map(text), method: name.map(text) })
    }

    /// Whether it matches a request for `path`. A path whose class decides matches nothing here.
    pub fn matches(&self, path: &str) -> bool {
        match self {
            Self::All => true,
            Self::Path(own) => own.matches(path) == Some(true),
            Self::Begins(beginning) => path.starts_with(&**beginning),
            Self::Pattern(pattern) => pattern.matches(path),
            Self::Call(call) => call.matches(path),
            Self::Unknown(_) => false,
        }
    }
}

impl fmt::Display for PathTest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("every path"),
            Self::Path(path) if path.kind == PathType::Exact => write!(f, "path {path} exactly"),
            Self::Path(path) => write!(f, "path {path}"),
            Self::Begins(beginning) => write!(f, "path {beginning}"),
            Self::Pattern(pattern) => {
                let note = match pattern.unusable() {
                    None => "",
                    Some(Unusable::Invalid) => ", which cannot be evaluated",
                    Some(Unusable::TooLarge) => ", which is too large to evaluate",
                };
                write!(f, "path pattern {}{note}", pattern.written)
            }
            Self::Call(call) => write!(f, "gRPC method {call}"),
            Self::Unknown(kind) => write!(f, "unknown path type `{kind}`"),
        }
    }
}

/// A gRPC method. The path of its requests is `/service/method`.
#[derive(Debug, Clone)]
pub struct GrpcMethodTest<'a> {
    /// The service; `None` for every service.
    pub service: Option<TextTest<'a>>,
    /// The method; `None` for every method.
    pub method: Option<TextTest<'a>>,
}

impl GrpcMethodTest<'_> {
    /// Whether a request for `path` calls this method.
    pub fn matches(&self, path: &str) -> bool {
        let Some((service, method)) = called(path) else { return false };
        let holds = |test: &Option<TextTest<'_>>, text| test.as_ref().is_none_or(|test| test.matches(text));
        holds(&self.service, service) && holds(&self.method, method)
    }
}

impl fmt::Display for GrpcMethodTest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text =
            |test: &Option<TextTest<'_>>| test.as_ref().map_or("*".to_owned(), |test| test.written().into_owned());
        write!(f, "{}/{}", text(&self.service), text(&self.method))
    }
}

/// The service and the method in the path of a gRPC request; `None` if it is not such a path.
pub fn called(path: &str) -> Option<(&str, &str)> {
    let (service, method) = path.strip_prefix('/')?.split_once('/')?;
    (!service.is_empty() && !method.is_empty() && !method.contains('/')).then_some((service, method))
}

/// A test of one text.
#[derive(Debug, Clone)]
pub enum TextTest<'a> {
    /// Exactly this text.
    Is(Cow<'a, str>),
    /// A regular expression.
    Matches(Pattern<'a>),
    /// A text that contains another at a given position.
    Has(TextPart<'a>),
    /// A text that meets one of these tests.
    OneOf(Box<[TextTest<'a>]>),
    /// Any text.
    Any,
    /// The value must not be sent.
    Absent,
    /// An unknown type, as written. It matches nothing.
    Unknown(&'a str),
}

impl TextTest<'_> {
    /// Whether it matches `text`.
    pub fn matches(&self, text: &str) -> bool {
        match self {
            Self::Is(own) => *own == text,
            Self::Matches(pattern) => pattern.matches(text),
            Self::Has(part) => part.matches(text),
            Self::OneOf(tests) => tests.iter().any(|test| test.matches(text)),
            Self::Any => true,
            Self::Absent | Self::Unknown(_) => false,
        }
    }

    /// The text or the expression as written, or the unknown type.
    pub fn written(&self) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            Self::Is(text) => text,
            Self::Unknown(kind) => kind,
            Self::Matches(pattern) => &pattern.written,
            Self::Has(part) => part.text,
            Self::OneOf(tests) => {
                let written: Vec<_> = tests.iter().map(Self::written).collect();
                return Cow::Owned(written.join(" or "));
            }
            Self::Any => "any value",
            Self::Absent => "none",
        })
    }
}

/// A text that another text must contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPart<'a> {
    /// The position.
    pub at: PartAt,
    /// The text.
    pub text: &'a str,
    /// Whether case is ignored.
    pub folds_case: bool,
}

/// The position of a text in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartAt {
    /// It is the whole text.
    Whole,
    /// At the beginning.
    Start,
    /// At the end.
    End,
    /// Anywhere.
    Anywhere,
}

impl TextPart<'_> {
    /// Whether `text` contains it at the position.
    pub fn matches(&self, text: &str) -> bool {
        match self.folds_case {
            true => self.at.has(&text.to_lowercase(), &self.text.to_lowercase()),
            false => self.at.has(text, self.text),
        }
    }
}

impl PartAt {
    fn has(self, text: &str, part: &str) -> bool {
        match self {
            Self::Whole => text == part,
            Self::Start => text.starts_with(part),
            Self::End => text.ends_with(part),
            Self::Anywhere => text.contains(part),
        }
    }
}

/// A required value of a header or query parameter.
#[derive(Debug, Clone)]
pub struct ValueTest<'a> {
    /// The name; for a header, in lower case.
    pub name: Cow<'a, str>,
    /// The test of its value.
    pub test: TextTest<'a>,
    /// Whether the test must fail.
    pub is_negated: bool,
    /// Whether an absent header or parameter counts as an empty one. If not, it fails this condition, whether negated
    /// or not.
    pub missing_is_empty: bool,
}

impl<'a> ValueTest<'a> {
    /// Returns the tests for `headers` of a match. Of two entries with the same name, the first counts, as the API
    /// specifies.
    pub fn of_headers(headers: &'a [NameValueMatch<'_>]) -> Box<[Self]> {
        Self::of(headers, |name| Cow::Owned(name.to_ascii_lowercase()))
    }

    /// Returns the tests for `queryParams` of a match. Names are case-sensitive.
    pub fn of_parameters(parameters: &'a [NameValueMatch<'_>]) -> Box<[Self]> {
        Self::of(parameters, Cow::Borrowed)
    }

    fn of(all: &'a [NameValueMatch<'_>], name: fn(&'a str) -> Cow<'a, str>) -> Box<[Self]> {
        let mut seen = HashSet::new();
        let tests = all.iter().map(|entry| Self::new(name(&entry.name), test(entry)));
        tests.filter(|test| seen.insert(test.name.clone())).collect()
    }

    /// Returns a test of the value of `name` that is not negated.
    pub fn new(name: Cow<'a, str>, test: TextTest<'a>) -> Self {
        Self { name, test, is_negated: false, missing_is_empty: false }
    }

    /// Whether the names and values that a client sent meet the condition.
    pub fn matches(&self, sent: &[(String, String)]) -> bool {
        let value = sent.iter().find(|(name, _)| *name == self.name).map(|(_, value)| value.as_str());
        match value.or(self.missing_is_empty.then_some("")) {
            Some(value) => self.test.matches(value) != self.is_negated,
            None => matches!(self.test, TextTest::Absent),
        }
    }

    /// The condition as text.
    pub fn wanted(&self) -> String {
        let not = if self.is_negated { "not " } else { "" };
        let how = match &self.test {
            TextTest::Has(TextPart { at: PartAt::Start, .. }) => "beginning with ",
            TextTest::Has(TextPart { at: PartAt::End, .. }) => "ending with ",
            TextTest::Has(TextPart { at: PartAt::Anywhere, .. }) => "with ",
            _ => "",
        };
        format!("{not}{how}{}", self.test.written())
    }
}

fn test<'a>(entry: &'a NameValueMatch<'_>) -> TextTest<'a> {
    match entry.kind() {
        "Exact" => TextTest::Is((&*entry.value).into()),
        "RegularExpression" => TextTest::Matches(Pattern::new(&*entry.value)),
        other => TextTest::Unknown(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_a_path_of_two_elements() {
        for path in ["/a.B/Go", "/a/b"] {
            assert_eq!(called(path).map(|(service, method)| format!("/{service}/{method}")).as_deref(), Some(path));
        }
        for path in ["", "/", "/a", "/a/", "//b", "/a/b/", "/a/b/c", "a/b"] {
            assert_eq!(called(path), None, "{path}");
        }
    }

    #[test]
    fn first_of_two_matches_on_one_header_counts() {
        let entry = |name: &'static str, value: &'static str| NameValueMatch {
            kind: None,
            name: name.into(),
            value: value.into(),
        };
        let entries = [entry("X-A", "1"), entry("x-a", "2")];
        let sent = |value: &str| [("x-a".to_owned(), value.to_owned())];
        let (headers, parameters) = (ValueTest::of_headers(&entries), ValueTest::of_parameters(&entries));
        assert!(headers.len() == 1 && headers[0].matches(&sent("1")) && !headers[0].matches(&sent("2")));
        assert!(parameters.len() == 2 && !parameters[0].matches(&sent("1")) && parameters[1].matches(&sent("2")));
    }
}
