//! Part of `host/not-owned`: what an HTTPProxy or IngressRoute without a host adds to that of a root in its namespace, which was admitted
//! before the host belonged to others.

use super::first_namespace::Others;
use super::is_moving;
use crate::checks::{Context, Operation};
use crate::cluster::delegation_facts::DelegationFacts;
use crate::cluster::ownership::OwnershipDecision;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Object;
use crate::matching::Host;
use crate::routing::Hosts;
use crate::routing::delegation::Ancestors;

/// Reports an object that a root of its namespace serves for a host of others. Which objects a root of another namespace includes is the
/// choice of that namespace, and of stored objects the root is reported.
pub(super) fn check<'c>(hosts: &Hosts<'_, '_>, others: &Others<'c>, cx: &Context<'c>, found: &mut Findings<'_>) {
    let has_no_host = match hosts {
        Hosts::OfObject(Object::HttpProxy(proxy)) => proxy.spec.virtualhost.is_none(),
        Hosts::OfObject(Object::IngressRoute(route)) => route.spec.virtualhost.is_none(),
        _ => false,
    };
    if !has_no_host || cx.operation == Operation::Stored {
        return;
    }
    let above = Ancestors::of(cx.cluster, cx.subject.class, None);
    let mut roots: Vec<_> = above.objects().filter_map(|facts| Some((root_host(facts, cx)?, facts))).collect();
    roots.sort_unstable_by_key(|(host, root)| (*host, &*root.object_ref));
    roots.dedup_by_key(|(host, _)| *host);
    for (host, root) in cx.part.of(&roots).iter().filter(|(host, _)| !is_moving(host, cx.namespace(), cx)) {
        let (written, at) = (host.to_string(), At::field("spec.routes"));
        let finding = match cx.ownership.claim(host, cx.namespace(), cx.cluster) {
            OwnershipDecision::Free | OwnershipDecision::Unknown => continue,
            OwnershipDecision::FirstNamespace if !others.hold(host, cx) => continue,
            OwnershipDecision::Owned { entry, by, .. } => {
                let template = "host {} belongs to {}, and this serves it through {other}: use another host";
                let finding = found.forbidden(at, &format!("{written} {entry}"), template).args([&written]);
                finding.redactable(&by.to_string(), "others")
            }
            OwnershipDecision::FirstNamespace | OwnershipDecision::Unlisted | OwnershipDecision::Unclaimed { .. } => {
                let template =
                    "this namespace may not claim host {}, and this serves it through {other}: use another host";
                found.forbidden(at, &written, template)
            }
        };
        finding.other(&root.object_ref).claim(&written, None);
    }
}

/// The host of an object of the namespace under review, if it is a root and may be one there.
fn root_host<'c>(facts: &'c DelegationFacts, cx: &Context<'_>) -> Option<&'c Host<'static>> {
    let root = &facts.object_ref;
    let may_be_root =
        *root.namespace == *cx.namespace() && cx.config.may_hold_roots(root.kind.api().kind, &root.namespace);
    facts.root.as_ref().filter(|host| may_be_root && **host != Host::Any)
}
