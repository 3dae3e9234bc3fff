//! What IngressRoute and HTTPProxy have in common: both are trees that begin at a host.

use super::Context;
use super::host::is_handed_over;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::ingress_route::Delegate;
use crate::kinds::{IngressRoute, Kind, ObjectRef};
use crate::matching::Host;
use crate::routing::delegation::Neighbours;

/// Reports a root outside the namespaces that may hold roots of its kind.
pub fn root_outside(kind: Kind, cx: &Context<'_>, found: &mut Findings<'_>) {
    let namespace = cx.namespace();
    if !cx.config.may_hold_roots(kind.api().kind, namespace) {
        let sentence = "namespace `{}` may not hold roots: leave out virtualhost, and ask a root to delegate";
        found.forbidden(At::field("spec.virtualhost"), namespace, sentence);
    }
}

/// Reports that another root of the same kind and class has the host already. A root that may not be one has nothing.
pub fn host_taken(kind: Kind, class: Option<&str>, fqdn: &str, cx: &Context<'_>, found: &mut Findings<'_>) {
    let host = Host::parse(fqdn);
    if matches!(host, Host::Any) || !host.is_well_formed() {
        return;
    }
    let holds =
        |namespace: &str| cx.config.may_hold_roots(kind.api().kind, namespace) && !is_handed_over(&host, namespace, cx);
    let seen = cx.cluster.roots(kind, class, &host).map(|other| &*other.place);
    let holder = seen.chain(cx.cluster.promised(class, &host, cx.now)).find(|other| holds(&other.namespace));
    if let Some(other) = holder {
        let at = At::field("spec.virtualhost.fqdn");
        found.duplicate(at, &host.to_string(), "host {} is {other}'s already, and a host has one root").other(other);
    }
}

/// What is around the IngressRoute under review.
pub fn neighbours<'r>(route: &'r IngressRoute<'_>, cx: &Context<'r>) -> Neighbours<'r> {
    let is_root = route.spec.virtualhost.is_some();
    Neighbours { cluster: cx.cluster, config: cx.config, class: route.class(), is_root, standing: cx.standing }
}

/// Where a delegation of the IngressRoute under review leads.
pub fn target_of(delegate: &Delegate<'_>, cx: &Context<'_>) -> ObjectRef {
    ObjectRef::new(Kind::IngressRoute, delegate.namespace_from(cx.namespace()), &delegate.name)
}
