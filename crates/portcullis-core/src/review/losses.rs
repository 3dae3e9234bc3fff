//! Which requests objects lose because of a write: the written object to others, and others to it.

use std::collections::{BTreeMap, BTreeSet};

use crate::checks::{Operation, Plan, Write};
use crate::cluster::hosts::ROUTES_WITH_HOSTS;
use crate::cluster::{Lookup, Overlay, SharedCluster, View};
use crate::finding::{Finding, Taking};
use crate::kinds::{Kind, Object, ObjectRef};
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

/// What objects lose since a write that made `old` to `object`. The view shows the object as it is stored.
pub fn losses(
    plan: &Plan,
    object: &Object<'_>,
    old: Option<&Object<'_>>,
    (view, write): (&dyn View, &Write<'_>),
    cluster: &SharedCluster,
) -> Vec<Loss> {
    let this = write.this;
    // No check finds a loss of another kind.
    let may_lose = matches!(this.kind, Kind::Ingress | Kind::Gateway | Kind::ListenerSet);
    if !may_lose && !ROUTES_WITH_HOSTS.contains(&this.kind) {
        return Vec::new();
    }
    let findings = plan.new_losses(object, old, view, write);
    // The creation of a younger object has been reviewed too, or will be.
    let created = object.metadata().created();
    let is_older =
        |taking: &&Taking| write.operation != Operation::Create || created.is_none() || taking.created < created;
    let mut of_others: BTreeMap<&ObjectRef, Vec<Finding>> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| !finding.loses) {
        for taking in finding.takings.iter().flatten().filter(is_older) {
            of_others.entry(&taking.loser).or_default().push(finding.for_loser(taking, this));
        }
    }
    let reveals = plan.config().reveal_other_namespaces;
    let own: Vec<Finding> = findings.iter().filter(|finding| finding.loses).cloned().collect();
    let places = own.iter().map(|finding| finding.at.to_string());
    let own = (!own.is_empty()).then(|| loss(this, places.collect(), size(object), &own, reveals));
    let of_others = of_others.iter().map(|(loser, findings)| {
        let size = stored_size(loser, &Overlay::new(&cluster.read(), this));
        // The addresses are those of the other object.
        let claimed = |finding: &Finding| finding.claim.as_ref().and_then(|claim| claim.path.clone());
        let places = findings.iter().map(|finding| claimed(finding).unwrap_or_else(|| finding.value.clone()));
        loss(loser, places.collect(), size, findings, reveals)
    });
    own.into_iter().chain(of_others).collect()
}

/// The loss of `object_ref`, which has this size, by these findings about these parts of it.
fn loss(
    object_ref: &ObjectRef,
    places: BTreeSet<String>,
    size: Option<(usize, &str)>,
    findings: &[Finding],
    reveals: bool,
) -> Loss {
    let losing = places.len();
    let names = if reveals { Disclosure::All } else { Disclosure::Namespace(&object_ref.namespace) };
    let causes: BTreeSet<String> = findings.iter().map(|finding| render_cause(finding, names)).collect();
    let causes = causes.into_iter().collect::<Vec<_>>().join("; ");
    // What an object loses of a host as a whole is not a number of its parts.
    let is_counted = |finding: &Finding| finding.claim.as_ref().is_none_or(|claim| claim.path.is_some());
    let note = match size.filter(|_| findings.iter().all(is_counted)) {
        Some((count, parts)) if count > 1 => {
            let verb = if losing == 1 { "loses" } else { "lose" };
            format!("{} of {count} {parts} {verb} requests: {causes}", losing.min(count))
        }
        _ => format!("loses requests: {causes}"),
    };
    let is_shown = |other: &&ObjectRef| reveals || other.namespace == object_ref.namespace;
    let taker = findings.iter().filter_map(|finding| finding.other.as_ref()).find(is_shown).cloned();
    Loss { object_ref: object_ref.clone(), taker, note }
}

/// How many parts an object has that can lose requests, and what they are; `None` if it loses hosts.
fn size(object: &Object<'_>) -> Option<(usize, &'static str)> {
    match object {
        Object::HttpRoute(route) => {
            let rules = route.spec.rules.iter().flatten();
            Some((rules.map(|rule| rule.matches.len().max(1)).sum(), "matches"))
        }
        Object::GrpcRoute(route) => {
            Some((route.spec.rules.iter().map(|rule| rule.matches.len().max(1)).sum(), "matches"))
        }
        Object::Ingress(ingress) => Some((ingress.spec.rules.iter().map(|rule| rule.paths().len()).sum(), "paths")),
        _ => object.listeners().map(|listeners| (listeners.all.len(), "listeners")),
    }
}

/// The same of an object of which only the facts are known; `None` if they do not say.
fn stored_size(object_ref: &ObjectRef, cluster: &Overlay<'_>) -> Option<(usize, &'static str)> {
    match object_ref.kind {
        Kind::HttpRoute | Kind::GrpcRoute => match cluster.route(object_ref) {
            Lookup::Found(facts) => Some((facts.matches.len(), "matches")),
            Lookup::Absent | Lookup::Unknown => None,
        },
        Kind::Gateway | Kind::ListenerSet => match cluster.listeners(object_ref) {
            Lookup::Found(facts) => Some((facts.listeners.len(), "listeners")),
            Lookup::Absent | Lookup::Unknown => None,
        },
        _ => None,
    }
}
