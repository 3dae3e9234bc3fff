//! Which hosts a change concerns. For every other host, all that an answer depends on is equal on both sides, so that the answers are the
//! same, whether they can be evaluated or not.
//!
//! Only Ingresses and HTTPRoutes are about the hosts that they name, with the exceptions below, and a Service is about the hosts of the
//! objects that contain its name. Anything else that differs may concern every host.

use std::collections::BTreeSet;

use regex::Regex;

use super::{Pairing, Side, UnevaluatedObject};
use crate::explain::Stored;
use crate::kinds::{Ingress, Kind, KindSet, Object, ObjectRef, Text};
use crate::matching::{Claims, Host};

/// The hosts that a change concerns; `None` if these may be all.
pub(super) struct Concerned<'w>(Option<BTreeSet<Host<'w>>>);

impl<'w> Concerned<'w> {
    pub(super) fn of(sides: [Side<'_, 'w>; 2], pairing: Pairing) -> Self {
        Self(named_by_changes(sides, pairing))
    }

    /// Whether the change may concern requests for `host`.
    pub(super) fn has(&self, host: &str) -> bool {
        let Some(named) = &self.0 else { return true };
        let own = Host::Precise(host.into());
        named.contains(&own)
            || named.contains(&Host::Any)
            || own.wildcards_above().any(|wildcard| named.contains(&wildcard))
    }
}

/// The hosts that the objects name which are not equal on both sides; `None` if answers for other hosts may depend on these objects, or on
/// anything else that is not equal.
fn named_by_changes<'w>(sides: [Side<'_, 'w>; 2], pairing: Pairing) -> Option<BTreeSet<Host<'w>>> {
    let [before, after] = sides;
    let others = sides.map(|side| side.written.others.iter().collect::<BTreeSet<&UnevaluatedObject>>());
    let is_alike = pairing == Pairing::ByName
        && before.scope == after.scope
        && before.written.is_complete == after.written.is_complete
        && others[0] == others[1];
    let objects = || sides.iter().flat_map(|side| side.snapshot.objects().iter().map(move |stored| (side, stored)));
    if !is_alike || !objects().all(|(side, stored)| side.written.evaluated.contains_key(&stored.object_ref)) {
        return None;
    }
    let changed: BTreeSet<&'w ObjectRef> = before.written.differing(after.written).collect();
    if !changed.iter().all(|object| matches!(object.kind, Kind::HttpRoute | Kind::Ingress | Kind::Service)) {
        return None;
    }
    let refers = reference_to(changed.iter().copied().filter(|object| object.kind == Kind::Service))?;
    // What an object that is not evaluated does with a Service is not known.
    if before
        .written
        .others
        .iter()
        .any(|other| refers.is_match(&other.content) || other.targets.iter().any(|target| refers.is_match(target)))
    {
        return None;
    }
    let is_concerned = |side: &Side<'_, 'w>, object: &ObjectRef| {
        let refers = || side.written.evaluated.get(object).is_some_and(|text| refers.is_match(text));
        changed.contains(object) && object.kind != Kind::Service || is_route(object.kind) && refers()
    };
    let of_side = |side: &Side<'_, 'w>| -> Vec<&'w ObjectRef> {
        side.written.evaluated.keys().copied().filter(|object| is_concerned(side, object)).collect()
    };
    let concerned: Vec<&'w ObjectRef> = sides.iter().flat_map(of_side).collect();
    let is_changed = |kind: Kind| changed.iter().any(|object| object.kind == kind);
    let exists = |kind: Kind| sides.iter().any(|side| side.written.evaluated.keys().any(|object| object.kind == kind));
    // Of HTTPRoutes and GRPCRoutes with a host in common, a listener rejects some, with all their hosts.
    let may_clash = is_changed(Kind::HttpRoute) && exists(Kind::GrpcRoute);
    // A canary gets requests for every host whose rules lead to the same Service as one that it repeats.
    let has_ingress = concerned.iter().any(|object| object.kind == Kind::Ingress);
    let may_spread = has_ingress && objects().any(|(_, stored)| is_canary(stored));
    if may_clash || may_spread || !before.snapshot.has_the_setup_of(after.snapshot, &changed) {
        return None;
    }
    let (mut hosts, mut decoded) = (BTreeSet::new(), 0);
    for (_, stored) in objects().filter(|(side, stored)| is_concerned(side, &stored.object_ref)) {
        hosts.extend(named(stored)?);
        decoded += 1;
    }
    // What an object names that is not decoded is not known.
    (decoded == concerned.len()).then_some(hosts)
}

/// An expression for texts that contain the name of one of these objects as a word; `None` if it is too large.
fn reference_to<'o>(objects: impl Iterator<Item = &'o ObjectRef>) -> Option<Regex> {
    let names: BTreeSet<String> = objects.map(|object| regex::escape(&object.name)).collect();
    let names: Vec<String> = names.into_iter().collect();
    // Without a name, it matches nothing.
    let names = if names.is_empty() { "[a&&b]".to_owned() } else { names.join("|") };
    Regex::new(&format!("(?:^|[^a-z0-9-])(?:{names})(?:[^a-z0-9-]|$)")).ok()
}

/// Whether objects of a kind lead to Services.
fn is_route(kind: Kind) -> bool {
    KindSet::ROUTES.contains(kind) || matches!(kind, Kind::Ingress | Kind::HttpProxy | Kind::IngressRoute)
}

fn is_canary(stored: &Stored<'_>) -> bool {
    matches!(&stored.object, Object::Ingress(ingress) if ingress.metadata.annotations.iter().any(|(key, _)| key.contains("canary")))
}

/// The hosts that an object names; `None` if it may be about others.
fn named<'w>(stored: &'w Stored<'w>) -> Option<Vec<Host<'w>>> {
    let hosts = match &stored.object {
        Object::HttpRoute(route) => of_route(&route.spec.hostnames),
        Object::GrpcRoute(route) => of_route(&route.spec.hostnames),
        Object::Ingress(ingress) => of_ingress(ingress)?,
        _ => return None,
    };
    hosts.iter().all(Host::is_well_formed).then_some(hosts)
}

fn of_route<'w>(hostnames: &'w [Text<'w>]) -> Vec<Host<'w>> {
    match hostnames {
        [] => vec![Host::Any],
        named => named.iter().map(|host| Host::parse(host)).collect(),
    }
}

/// The hosts that an Ingress names; `None` if it has a default backend, or an annotation adds others.
fn of_ingress<'w>(ingress: &'w Ingress<'w>) -> Option<Vec<Host<'w>>> {
    let redirects = ingress.metadata.annotations.iter().any(|(key, _)| key.ends_with("/from-to-www-redirect"));
    if redirects || ingress.spec.default_backend.is_some() || !Claims::of_ingress(ingress).aliases.is_empty() {
        return None;
    }
    let of_rules = ingress.spec.rules.iter().map(|rule| Host::parse(rule.host.as_deref().unwrap_or_default()));
    let of_tls = ingress.spec.tls.iter().flat_map(|tls| &tls.hosts).map(|host| Host::parse(host));
    Some(of_rules.chain(of_tls).collect())
}
