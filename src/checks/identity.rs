//! What tells one fault of an object from another, so that an update is refused only for what it makes worse.

use std::borrow::Cow;

use crate::field::{FieldPath, Segment};
use crate::finding::Finding;
use crate::kinds::{Ingress, Object, ObjectRef, ingress::HttpPath};
use crate::matching::{Host, Path, PathType};

/// What stays the same when lists are reordered: two findings of one identity are the same fault.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Identity<'f> {
    check: &'static str,
    /// The address without list indexes.
    at: FieldPath,
    /// What the indexes stood for: the same fault on another host or path is another fault, whatever the check says of its value.
    route: Option<Route<'f>>,
    value: &'f str,
    other: Option<&'f ObjectRef>,
}

/// The host of a rule, and one of its paths, in canonical form.
type Route<'o> = (Host<'o>, Option<Cow<'o, str>>);

/// The identity of a finding in `object`.
pub fn of<'f>(finding: &'f Finding, object: &'f Object<'_>) -> Identity<'f> {
    let route = match object {
        Object::Ingress(ingress) => route(&finding.at, ingress),
        Object::IngressClass(_) | Object::Service(_) | Object::Namespace(_) => None,
    };
    let (at, other) = (finding.at.without_indexes(), finding.other.as_ref());
    Identity { check: finding.check, at, route, value: &finding.value, other }
}

/// The rule, and the path in it, that the address `at` stands in.
fn route<'o>(at: &FieldPath, ingress: &'o Ingress<'_>) -> Option<Route<'o>> {
    let [_, Segment::Field(list), Segment::Index(rule), rest @ ..] = at.segments() else { return None };
    let rule = ingress.spec.rules.get(*rule).filter(|_| list == "rules")?;
    let host = Host::parse(rule.host.as_deref().unwrap_or_default());
    let path = match (rest, &rule.http) {
        ([_, _, Segment::Index(path), ..], Some(http)) => http.paths.get(*path).map(text),
        _ => None,
    };
    Some((host, path))
}

/// The path in canonical form; as written where its type is none that we know.
fn text<'o>(path: &'o HttpPath<'_>) -> Cow<'o, str> {
    let written = path.path.as_deref();
    match PathType::parse(path.path_type.as_deref()) {
        Some(kind) => Path::new(kind, written).text,
        None => written.unwrap_or_default().into(),
    }
}
