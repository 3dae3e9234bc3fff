//! One rule of an object that may answer a request: its conditions, and its precedence over other rules. The reason that is printed is the
//! step of the comparison that decides.

use std::cmp::Ordering;

use jiff::Timestamp;

use super::request::Request;
use crate::field::{At, FieldPath};
use crate::kinds::ObjectRef;
use crate::matching::gateway_dialect::ExpressionOrder;
use crate::matching::host::Form;
use crate::matching::path::pattern_piece;
use crate::matching::predicate::{PathTest, ValueTest};
use crate::matching::{Host, PathType};
use crate::routing::precedence;

/// A rule with one of its matches.
#[derive(Debug, Clone)]
pub struct Candidate<'w> {
    /// The object that contains the rule.
    pub object: &'w ObjectRef,
    /// The address of the match, or of the rule if it has no matches.
    pub field: At,
    /// The object whose age and name are compared: the object itself, or the root that it is served under.
    pub head: &'w ObjectRef,
    /// The creation time of the object.
    pub created: Option<Timestamp>,
    /// The condition on the path.
    pub path: PathTest<'w>,
    /// The path as written. Of two spellings of the same path, the longer one takes precedence.
    pub spelling: &'w str,
    /// Whether the API defines how the path is matched; otherwise this is up to the implementation.
    pub is_defined: bool,
    /// How an expression for the path ranks among prefixes.
    pub expression_order: ExpressionOrder,
    /// Whether annotations make the object a canary, which takes a share of the requests of another one.
    pub is_canary: bool,
    /// The required method.
    pub method: Option<&'w str>,
    /// The conditions on headers.
    pub headers: Box<[ValueTest<'w>]>,
    /// The conditions on query parameters.
    pub query: Box<[ValueTest<'w>]>,
    /// The index of the rule, and the index of the match or path in it.
    pub position: [usize; 2],
}

impl<'w> Candidate<'w> {
    /// A rule without conditions other than its host.
    pub fn of_everything(object: &'w ObjectRef, created: Option<Timestamp>, field: At, position: [usize; 2]) -> Self {
        let (headers, query) = Default::default();
        Self {
            object,
            head: object,
            field,
            created,
            path: PathTest::All,
            spelling: "",
            is_defined: true,
            expression_order: ExpressionOrder::BeforePrefixes,
            is_canary: false,
            method: None,
            headers,
            query,
            position,
        }
    }

    /// Describes the condition on the path, with the assumed interpretation if the API does not define one.
    pub fn path_in_words(&self) -> String {
        match self.is_defined {
            true => self.path.to_string(),
            false if pattern_piece(self.spelling).is_some() => {
                format!("{}, ImplementationSpecific: read as Prefix and not as an expression", self.path)
            }
            false => format!("{}, ImplementationSpecific: read as Prefix", self.path),
        }
    }

    /// Whether the request meets all conditions. The data plane checks the host.
    pub fn matches(&self, request: &Request) -> bool {
        self.unmet(request).is_none()
    }

    /// The first condition that the request does not meet, as text; `None` if it meets all.
    pub fn mismatch(&self, request: &Request) -> Option<String> {
        Some(match self.unmet(request)? {
            Unmet::Path => self.path_in_words(),
            Unmet::Method(method) => format!("method {method}"),
            Unmet::Header(header) => format!("header {}: {}", header.name, header.wanted()),
            Unmet::Parameter(parameter) => format!("query {}={}", parameter.name, parameter.wanted()),
        })
    }

    fn unmet(&self, request: &Request) -> Option<Unmet<'_, 'w>> {
        if !self.path.matches(&request.path) {
            return Some(Unmet::Path);
        }
        if let Some(method) = self.method.filter(|method| *method != request.method) {
            return Some(Unmet::Method(method));
        }
        if let Some(header) = self.headers.iter().find(|header| !header.matches(&request.headers)) {
            return Some(Unmet::Header(header));
        }
        self.query.iter().find(|parameter| !parameter.matches(&request.query)).map(Unmet::Parameter)
    }
}

/// A condition that a request does not meet.
enum Unmet<'c, 'w> {
    Path,
    Method(&'w str),
    Header(&'c ValueTest<'w>),
    Parameter(&'c ValueTest<'w>),
}

/// A candidate with the host under which it competes.
#[derive(Debug, Clone, Copy)]
pub struct RankedCandidate<'c, 'w> {
    /// The candidate.
    pub rule: &'c Candidate<'w>,
    /// The host of the rule that matches the request.
    pub host: &'c Host<'c>,
}

/// The criteria of precedence, in the order in which they are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Host,
    Form,
    Length,
    Spelling,
    Defined,
    Canary,
    Method,
    Headers,
    Query,
    Age,
    Position,
}

impl RankedCandidate<'_, '_> {
    /// Compares two rules that match the same request; the greater one answers it. Two different rules are never equal.
    pub fn compare(&self, other: &Self) -> Ordering {
        self.decide(other).0
    }

    /// Why `self` loses against `winner`, which matches the request too.
    pub fn reason(&self, winner: &RankedCandidate<'_, '_>) -> String {
        let (_, step) = winner.decide(self);
        let same = self.rule.object == winner.rule.object;
        let field = FieldPath::from(winner.rule.field);
        let title = if same { field.to_string() } else { winner.rule.object.to_string() };
        match step {
            Step::Host => format!("host {} is more specific", winner.host),
            Step::Form | Step::Length | Step::Spelling => {
                precedence_reason(&winner.rule.path, winner.rule.spelling, step)
            }
            Step::Defined => format!("{title} has the same path with pathType Prefix"),
            Step::Canary => format!("is a canary of {title}"),
            Step::Method => format!("{title} also matches the method"),
            Step::Headers => format!("{title} matches more headers"),
            Step::Query => format!("{title} matches more query parameters"),
            Step::Age if self.rule.created == winner.rule.created => {
                format!("{title} is equally specific and sorts first by name")
            }
            Step::Age => format!("{title} is equally specific and older"),
            Step::Position => format!("{title} is equally specific and comes first"),
        }
    }

    fn decide(&self, other: &Self) -> (Ordering, Step) {
        let (own, their) = (self.rule, other.rule);
        let steps: [(Step, Ordering); 11] = [
            (Step::Host, width(self.host).cmp(&width(other.host))),
            (Step::Form, form(own).cmp(&form(their))),
            (Step::Length, length(&own.path).cmp(&length(&their.path))),
            (Step::Spelling, own.spelling.len().cmp(&their.spelling.len())),
            (Step::Defined, (own.is_defined, ends_at_element(own)).cmp(&(their.is_defined, ends_at_element(their)))),
            (Step::Canary, their.is_canary.cmp(&own.is_canary)),
            (Step::Method, own.method.is_some().cmp(&their.method.is_some())),
            (Step::Headers, own.headers.len().cmp(&their.headers.len())),
            (Step::Query, own.query.len().cmp(&their.query.len())),
            (Step::Age, age(own, their)),
            (Step::Position, their.position.cmp(&own.position)),
        ];
        let found = steps.into_iter().find(|(_, order)| order.is_ne());
        found.map_or((Ordering::Equal, Step::Position), |(step, order)| (order, step))
    }
}

fn age(own: &Candidate<'_>, their: &Candidate<'_>) -> Ordering {
    if own.head == their.head {
        return Ordering::Equal;
    }
    let by_age = precedence::compare((their.created, their.head), (own.created, own.head));
    by_age.then_with(|| their.head.kind.cmp(&own.head.kind))
}

/// Whether the path is not the beginning of a text, which Contour prefers to one with the same text that is.
fn ends_at_element(rule: &Candidate<'_>) -> bool {
    !matches!(rule.path, PathTest::Begins(_))
}

/// The specificity of a host: a precise host before wildcards, a longer wildcard before a shorter one.
pub(super) fn width(host: &Host<'_>) -> (Form, usize) {
    let (form, name) = host.parts();
    (form, name.len())
}

/// The precedence of the type of a path condition: exact, then regular expression (whose precedence is up to the
/// implementation), then prefix.
fn form(rule: &Candidate<'_>) -> u8 {
    match &rule.path {
        PathTest::Path(path) if path.kind == PathType::Exact => 3,
        PathTest::Pattern(_) if rule.expression_order == ExpressionOrder::BeforePrefixes => 2,
        PathTest::Pattern(_) | PathTest::Path(_) | PathTest::Begins(_) | PathTest::Call(_) => 1,
        PathTest::All | PathTest::Unknown(_) => 0,
    }
}

/// The length of a path condition in bytes. For a gRPC method, the length of the service is compared first, then that
/// of the method.
fn length(path: &PathTest<'_>) -> [usize; 2] {
    match path {
        PathTest::Path(path) => [path.text.len(), 0],
        PathTest::Begins(beginning) => [beginning.len(), 0],
        PathTest::Pattern(pattern) => [pattern.written.len(), 0],
        PathTest::Call(call) => {
            [&call.service, &call.method].map(|test| test.as_ref().map_or(0, |t| t.written().len()))
        }
        PathTest::All | PathTest::Unknown(_) => [0, 0],
    }
}

/// The reason if the winner has the more specific path condition.
fn precedence_reason(path: &PathTest<'_>, spelling: &str, step: Step) -> String {
    match (path, step) {
        (PathTest::Path(path), Step::Form) if path.kind == PathType::Exact => {
            format!("exact path {path} takes precedence")
        }
        (PathTest::Pattern(pattern), Step::Form) => {
            format!("path pattern {} takes precedence over prefixes", pattern.written)
        }
        (PathTest::Path(_), Step::Spelling) => format!("longer path {spelling} takes precedence"),
        (path, Step::Form) => format!("{path} takes precedence"),
        (path, _) => format!("longer {path} takes precedence"),
    }
}
