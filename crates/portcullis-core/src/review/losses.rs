//! Which requests an object loses because of a write of it.

use std::collections::BTreeSet;

use crate::checks::{Plan, Write};
use crate::cluster::View;
use crate::cluster::hosts::ROUTES_WITH_HOSTS;
use crate::finding::Finding;
use crate::kinds::{Object, ObjectRef};
use crate::message::{Disclosure, render_cause};

/// An object that loses requests to another one.
#[derive(Debug, PartialEq, Eq)]
pub struct Loss {
    /// The object.
    pub object_ref: ObjectRef,
    /// An object that gets these requests; `None` if its name may not be shown to the owners of the first one.
    pub taker: Option<ObjectRef>,
    /// Which requests, for the owners of the object.
    pub note: String,
}

/// What the written object loses since the write; `None` if nothing. `old` is the object before the write. The view shows the object as it is
/// stored.
pub fn loss(
    plan: &Plan,
    object: &Object<'_>,
    old: Option<&Object<'_>>,
    (view, write): (&dyn View, &Write<'_>),
) -> Option<Loss> {
    // No check finds a loss of another kind.
    if !ROUTES_WITH_HOSTS.contains(&write.this.kind) {
        return None;
    }
    let findings = plan.new_losses(object, old, view, write);
    if findings.is_empty() {
        return None;
    }
    let (this, reveals) = (write.this, plan.config().reveal_other_namespaces);
    let names = if reveals { Disclosure::All } else { Disclosure::Namespace(&this.namespace) };
    let causes: BTreeSet<String> = findings.iter().map(|finding| render_cause(finding, names)).collect();
    let causes = causes.into_iter().collect::<Vec<_>>().join("; ");
    let note = match (losing(&findings), matches(object)) {
        (losing, Some(count)) if count > 1 => {
            format!("{losing} of {count} matches {} requests: {causes}", if losing == 1 { "loses" } else { "lose" })
        }
        _ => format!("loses requests: {causes}"),
    };
    let is_shown = |other: &&ObjectRef| reveals || other.namespace == this.namespace;
    let taker = findings.iter().filter_map(|finding| finding.other.as_ref()).find(is_shown).cloned();
    Some(Loss { object_ref: this.clone(), taker, note })
}

/// How many matches lose requests.
fn losing(findings: &[Finding]) -> usize {
    let places: BTreeSet<String> = findings.iter().map(|finding| finding.at.to_string()).collect();
    places.len()
}

/// How many matches a route has.
fn matches(object: &Object<'_>) -> Option<usize> {
    match object {
        Object::HttpRoute(route) => Some(route.spec.rules.iter().flatten().map(|rule| rule.matches.len().max(1)).sum()),
        Object::GrpcRoute(route) => Some(route.spec.rules.iter().map(|rule| rule.matches.len().max(1)).sum()),
        _ => None,
    }
}
