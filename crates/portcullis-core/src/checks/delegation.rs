//! Checks that IngressRoute and HTTPProxy share: both are trees whose root claims a host.

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

/// Reports a root in a namespace that `rootNamespaces` does not allow for its kind.
pub fn root_outside(kind: Kind, cx: &Context<'_>, found: &mut Findings<'_>) {
    let namespace = cx.namespace();
    if !cx.config.may_hold_roots(kind.api().kind, namespace) {
        let message = match kind {
            Kind::HttpProxy => {
                "roots are not allowed in namespace `{}`: ask the owner of a root to include this object"
            }
            _ => "roots are not allowed in namespace `{}`: ask the owner of a root to delegate to this object",
        };
        found.forbidden(At::field("spec.virtualhost"), namespace, message);
    }
}

/// Reports that another root of the same kind already claims the host in the same data plane. Roots in namespaces that
/// may not contain roots do not count.
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
    // Of several rivals the oldest is reported, since it is the one that blocks this object.
    match rivals.min_by_key(|(rival, other)| (*rival, other.created.is_none(), other.created, other.object_ref.clone()))
    {
        Some((Rival::Holder, other)) => {
            let message = match is_unordered(&host, other.created, cx) {
                true => "host {} is also claimed by {other}; a host can have only one root: remove one of the two",
                false => "host {} is already claimed by {other}; a host can have only one root",
            };
            let host = host.to_string();
            found.duplicate(at, &host, message).other(&other.object_ref).claim(&host, None);
        }
        Some((Rival::Squatter, other)) => {
            let message = "{other} also claims host {} without owning it; Contour serves neither until one is removed";
            let other = &other.object_ref;
            found.duplicate(at, &host.to_string(), message).other(other).only_warns();
        }
        None => {}
    }
}

/// Whether a delegation from the object at `by` may deny the IngressRoute under review. It may if `by` is in the same
/// namespace, in a namespace that the configuration lists for roots, or in the consent annotation of the IngressRoute.
/// Any other object can delegate to it without its consent, so those delegations only warn.
pub fn binds(by: &ObjectRef, route: &IngressRoute<'_>, cx: &Context<'_>) -> bool {
    let consents = || {
        let (list, by) = (route.metadata.annotations.get(CONSENT_ANNOTATION), format!("{}/{}", by.namespace, by.name));
        list.is_some_and(|list| list.split(',').any(|pattern| glob(pattern.trim(), &by)))
    };
    by.namespace == cx.namespace() || cx.config.names_for_roots(by.kind.api().kind, &by.namespace) || consents()
}

/// An object that delegates to the object under review, preferably one in the same namespace.
pub fn nearest<'r>(delegations: &[Delegation<'r>], cx: &Context<'_>) -> Option<&'r ObjectRef> {
    let object_refs = || delegations.iter().map(|delegation| &*delegation.by.object_ref);
    object_refs().find(|by| by.namespace == cx.namespace()).or_else(|| object_refs().next())
}

/// The delegation graph around the IngressRoute under review.
pub fn graph_context<'r>(route: &'r IngressRoute<'_>, cx: &Context<'r>) -> GraphContext<'r> {
    let is_root = route.spec.virtualhost.is_some();
    GraphContext { cluster: cx.cluster, config: cx.config, class: route.class(), is_root, neighbors: cx.neighbors }
}

/// The object that a delegation of the IngressRoute under review refers to.
pub fn target_of(delegate: &Delegate<'_>, cx: &Context<'_>) -> ObjectRef {
    ObjectRef::new(Kind::IngressRoute, delegate.namespace_from(cx.namespace()), &delegate.name)
}
