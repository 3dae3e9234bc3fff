//! The reasons that make an object invalid, regardless of the objects that delegate to it. Each rejects the whole
//! object, which is never applied partially.

use hashbrown::HashMap;

use super::component::{Component, End, GraphNode, NodeKind};
use super::graph_rules::GraphRules;
use super::graph_view::GraphView;
use super::verdict::InvalidReason;
use crate::cluster::Lookup;
use crate::cluster::delegation_facts::{DelegationFacts, IngressRouteExtras};
use crate::cluster::service_uses::ServiceUse;
use crate::config::{Config, Extension};
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;

/// Sets the reason of every object that is invalid.
pub(super) fn evaluate(component: &mut Component<'_>, view: GraphView<'_, '_>, rules: GraphRules<'_>) {
    let claims = RootsByHost::of(&component.nodes);
    let whys: Vec<_> = component.nodes.iter().map(|node| why(node, &component.nodes, &claims, view, rules)).collect();
    for (node, why) in component.nodes.iter_mut().zip(whys) {
        node.why = why;
    }
}

fn why(
    node: &GraphNode<'_>,
    nodes: &[GraphNode<'_>],
    claims: &RootsByHost<'_>,
    view: GraphView<'_, '_>,
    rules: GraphRules<'_>,
) -> Option<InvalidReason> {
    if let NodeKind::Refused(refusal) = node.kind {
        return Some(InvalidReason::Root(refusal));
    }
    let own = node.facts.own.as_deref()?;
    let fault = own.error.clone().map(InvalidReason::Error);
    let taken = || claims.other(node).cloned().map(InvalidReason::HostTaken);
    let namespace = &*node.facts.object_ref.namespace;
    let fault = fault.or_else(taken).or_else(|| extension(own, rules.config));
    let secret = || secret(own, namespace, view, rules.requires_secrets);
    let secret = || certificate(own, namespace, view).or_else(secret);
    let passing = || secret().or_else(|| service(node.facts, namespace, view));
    fault.or_else(|| if view.is_whole { passing() } else { None }).or_else(|| to_root(node, nodes))
}

/// The first two allowed roots of each class and host.
struct RootsByHost<'c>(HashMap<HostKey<'c>, (&'c ObjectRef, Option<&'c ObjectRef>)>);

/// A class and a host.
type HostKey<'c> = (Option<&'c str>, &'c Host<'static>);

impl<'c> RootsByHost<'c> {
    fn of(nodes: &[GraphNode<'c>]) -> Self {
        let mut claims = HashMap::new();
        for node in nodes.iter().filter(|node| node.kind == NodeKind::Root) {
            let Some(host) = node.facts.root.as_ref().filter(|host| **host != Host::Any) else { continue };
            let claim = (node.facts.class.as_deref(), host);
            let holders = claims.entry(claim).or_insert((&*node.facts.object_ref, None));
            if *holders.0 != *node.facts.object_ref {
                holders.1.get_or_insert(&*node.facts.object_ref);
            }
        }
        Self(claims)
    }

    /// The first other root that claims the host.
    fn other(&self, node: &GraphNode<'c>) -> Option<&'c ObjectRef> {
        let (first, second) = self.0.get(&(node.facts.class.as_deref(), node.facts.root.as_ref()?))?;
        if **first == *node.facts.object_ref { *second } else { Some(first) }
    }
}

/// A disabled extension that the object uses.
fn extension(own: &IngressRouteExtras, config: &Config) -> Option<InvalidReason> {
    let used = [(own.is_tcp, Extension::TcpProxy), (own.delegated.is_some(), Extension::CertDelegation)];
    let off = used.into_iter().find(|(is_used, extension)| *is_used && !config.extensions.contains(extension));
    off.map(|(_, extension)| InvalidReason::Extension(extension))
}

/// A certificate that is known not to be delegated.
fn certificate(own: &IngressRouteExtras, namespace: &str, view: GraphView<'_, '_>) -> Option<InvalidReason> {
    let (owner_namespace, secret) = own.delegated.as_ref()?;
    let delegated =
        view.cluster.delegates_certificate(Kind::TlsCertificateDelegation, owner_namespace, secret, namespace);
    (delegated == Lookup::Absent)
        .then(|| InvalidReason::CertificateNotDelegated(owner_namespace.clone(), secret.clone()))
}

/// A Secret that is known not to exist, or not to be usable for TLS. Secrets are known only where the objects come from
/// files.
fn secret(
    own: &IngressRouteExtras,
    namespace: &str,
    view: GraphView<'_, '_>,
    requires_secrets: bool,
) -> Option<InvalidReason> {
    let delegated = own.delegated.as_ref().map(|(owner_namespace, secret)| (&**owner_namespace, secret));
    let (namespace, name) = delegated.or(own.secret.as_ref().map(|secret| (namespace, secret)))?;
    match view.cluster.secret(namespace, name) {
        Lookup::Found(facts) => (!facts.speaks_tls()).then(|| InvalidReason::BadSecret(name.clone())),
        Lookup::Absent => requires_secrets.then(|| InvalidReason::NoSecret(name.clone())),
        Lookup::Unknown => None,
    }
}

/// A Service that is known not to exist or not to have the port.
fn service(own: &DelegationFacts, namespace: &str, view: GraphView<'_, '_>) -> Option<InvalidReason> {
    own.uses.iter().find_map(|ServiceUse { name, port, .. }| match view.cluster.service(namespace, name) {
        Lookup::Absent => Some(InvalidReason::NoService(name.into())),
        Lookup::Found(service) => {
            let port = i64::from(port);
            (!service.may_have_port(port)).then(|| InvalidReason::NoPort(name.into(), port))
        }
        Lookup::Unknown => None,
    })
}

/// A delegation to a root. A root in a namespace that may not hold roots does not invalidate the objects that delegate
/// to it.
fn to_root(node: &GraphNode<'_>, nodes: &[GraphNode<'_>]) -> Option<InvalidReason> {
    let is_root = |end| matches!(end, End::Node(position) if nodes[position].kind == NodeKind::Root);
    let link = node.links.iter().find(|link| is_root(link.end))?;
    Some(InvalidReason::ToRoot(link.route, (**link.target).clone()))
}
