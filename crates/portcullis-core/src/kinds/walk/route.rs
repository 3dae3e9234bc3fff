//! The elements of a route of any kind of the Gateway API.

use crate::field::At;
use crate::kinds::reference::ParentRef;
use crate::kinds::route::{Route, RouteRule};

/// Each parent reference.
pub fn parent_refs<'o, 'a>(route: &Route<'o, 'a>) -> impl Iterator<Item = (At, &'o ParentRef<'a>)> + use<'o, 'a> {
    let parents = route.parent_refs().iter().enumerate();
    parents.map(|(index, parent)| (At::element("spec.parentRefs[]", [index]), parent))
}

/// Each host, as written.
pub fn hostnames<'o, 'a>(route: &Route<'o, 'a>) -> impl Iterator<Item = (At, &'o str)> + use<'o, 'a> {
    let hosts = route.hostnames().iter().enumerate();
    hosts.map(|(index, host)| (At::element("spec.hostnames[]", [index]), &**host))
}

/// Each rule.
pub fn rules<'o, 'a>(route: &Route<'o, 'a>) -> impl Iterator<Item = (At, RouteRule<'o, 'a>)> + use<'o, 'a> {
    route.rules().enumerate().map(|(index, rule)| (At::element("spec.rules[]", [index]), rule))
}
