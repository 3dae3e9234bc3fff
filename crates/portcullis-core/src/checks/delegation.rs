//! What IngressRoute and HTTPProxy have in common: both are trees that begin at a host.

use super::Context;
use super::host::{Rival, is_unordered, rival};
use crate::cluster::delegation_facts::CONSENT_ANNOTATION;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::ingress_route::Delegate;
use crate::kinds::{IngressRoute, Kind, ObjectRef};
use crate::matching::Host;
use crate::names::glob;
use crate::routing::delegation::{Delegation, GraphContext};

/// Reports a root outside the namespaces that may hold roots of its kind.
pub fn root_outside(kind: Kind, cx: &Context<'_>, found: &mut Findings<'_>) {
    let namespace = cx.namespace();
    if !cx.config.may_hold_roots(kind.api().kind, namespace) {
        let message = "namespace `{}` may not hold roots: ask a root to delegate to this object";
        found.forbidden(At::field("spec.virtualhost"), namespace, message);
    }
}

/// Reports that another root of the same kind has the host already in the same data plane. A root that may not be one has nothing.
pub fn host_taken(kind: Kind, class: Option<&str>, fqdn: &str, cx: &Context<'_>, found: &mut Findings<'_>) {
    let host = Host::parse(fqdn);
    if matches!(host, Host::Any) || !host.is_well_formed() {
        return;
    }
    let classes = cx.data_planes.of_contour(class);
    let roots = classes.flat_map(|class| cx.cluster.roots(kind, class, &host).collect::<Vec<_>>());
    let roots = roots.filter(|other| cx.config.may_hold_roots(kind.api().kind, &other.object_ref.namespace));
    let rivals = roots.filter_map(|other| Some((rival(&host, &other.object_ref, other.created, cx)?, other)));
    let at = At::field("spec.virtualhost.fqdn");
    // Of several the oldest, which is the one in the way.
    match rivals.min_by_key(|(rival, other)| (*rival, other.created.is_none(), other.created, other.object_ref.clone()))
    {
        Some((Rival::Holder, other)) => {
            let message = match is_unordered(&host, other.created, cx) {
                true => "host {} is also claimed by {other}; a host can have only one root: remove one of the two",
                false => "host {} is already claimed by {other}; a host can have only one root",
            };
            found.duplicate(at, &host.to_string(), message).other(&other.object_ref);
        }
        Some((Rival::Squatter, other)) => {
            let message = "{other} also claims host {} without owning it; Contour serves neither until one is removed";
            let other = &other.object_ref;
            found.duplicate(at, &host.to_string(), message).other(other).only_warns();
        }
        None => {}
    }
}

/// Whether a delegation by the object at `by` may refuse the IngressRoute under review: one of its own namespace, of a namespace
/// that the configuration names for roots, or one that the object's annotation lets delegate. Others can delegate to it
/// unasked, so that theirs only warn.
pub fn binds(by: &ObjectRef, route: &IngressRoute<'_>, cx: &Context<'_>) -> bool {
    let consents = || {
        let (list, by) = (route.metadata.annotations.get(CONSENT_ANNOTATION), format!("{}/{}", by.namespace, by.name));
        list.is_some_and(|list| list.split(',').any(|pattern| glob(pattern.trim(), &by)))
    };
    by.namespace == cx.namespace() || cx.config.names_for_roots(by.kind.api().kind, &by.namespace) || consents()
}

/// Who delegates to the object under review: one of its own namespace, if there is one.
pub fn nearest<'r>(delegations: &[Delegation<'r>], cx: &Context<'_>) -> Option<&'r ObjectRef> {
    let places = || delegations.iter().map(|delegation| &*delegation.by.object_ref);
    places().find(|by| by.namespace == cx.namespace()).or_else(|| places().next())
}

/// What is around the IngressRoute under review.
pub fn neighbours<'r>(route: &'r IngressRoute<'_>, cx: &Context<'r>) -> GraphContext<'r> {
    let is_root = route.spec.virtualhost.is_some();
    GraphContext { cluster: cx.cluster, config: cx.config, class: route.class(), is_root, neighbors: cx.neighbors }
}

/// Where a delegation of the IngressRoute under review leads.
pub fn target_of(delegate: &Delegate<'_>, cx: &Context<'_>) -> ObjectRef {
    ObjectRef::new(Kind::IngressRoute, delegate.namespace_from(cx.namespace()), &delegate.name)
}
