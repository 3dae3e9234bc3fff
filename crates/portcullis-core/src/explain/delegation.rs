//! IngressRoutes. A host belongs to its root, and the routes of all objects on valid delegations compete in one table,
//! with their matches as written. If two routes have the same match, the later one in depth-first order answers; the
//! routes of a child take the position of the delegation.

use std::collections::HashSet;
use std::rc::Rc;

use hashbrown::HashMap;

use super::answer::{Api, Loser};
use super::candidate::Candidate;
use super::route_action::{self, RouteAction, RouteServices};
use super::route_chain::{ResolvedRoute, RouteChain};
use super::route_resolver::Stored;
use super::trees::{TlsHandling, Tree, Trees, UnservedObject};
use crate::cluster::{Cluster, Dirty, Lookup, Overlay};
use crate::config::Config;
use crate::field::{At, FieldPath};
use crate::kinds::ingress_route::{Delegate, PathRoute};
use crate::kinds::{IngressRoute, Kind, Object, ObjectRef};
use crate::matching::{Host, PathTest};
use crate::message::Disclosure;
use crate::routing::delegation::{DelegationState, GraphState, GraphStatus, IngressRouteStatus};

/// The trees of all IngressRoutes.
pub(super) fn trees<'w>(
    objects: &'w [Stored<'w>],
    cluster: &'w Cluster,
    config: &Config,
    view: Overlay<'w>,
) -> Trees<'w> {
    let mut statuses = GraphState::default();
    statuses.reconcile(Dirty::Everything, cluster, config);
    let routes = objects.iter().filter_map(|stored| match &stored.object {
        Object::IngressRoute(route) => Some((&stored.object_ref, route)),
        _ => None,
    });
    let forest = DelegationForest { routes: routes.collect(), statuses };
    let (mut all, mut idle) = (Vec::new(), Vec::new());
    let mut object_refs: Vec<_> = forest.routes.keys().copied().collect();
    object_refs.sort_unstable();
    for object_ref in object_refs {
        let (route, status) = (forest.routes[object_ref], forest.statuses.get(object_ref));
        let host = route.spec.virtualhost.as_ref().map(|host| Host::parse(&host.fqdn));
        match (status, host) {
            (Some(status), Some(host)) if status.state == DelegationState::Valid => {
                all.push(forest.tree(object_ref, route, host))
            }
            (Some(status), host) if status.state != DelegationState::Valid => {
                idle.push(UnservedObject { object: object_ref, class: route.class(), host, reason: reason(status) });
            }
            _ => {}
        }
    }
    idle.extend(forest.unreadable(view));
    Trees::new(Api::IngressRoute, view, all, idle)
}

/// Why an object serves nothing.
fn reason(graph_status: &GraphStatus) -> String {
    let status = IngressRouteStatus::of(graph_status, Disclosure::All);
    match graph_status.state {
        DelegationState::Orphaned => "orphaned: no accepted root delegates to it".to_owned(),
        _ => format!("{}: {}", status.current_status, status.description),
    }
}

/// All IngressRoutes that could be read, with the status of each.
struct DelegationForest<'w> {
    routes: HashMap<&'w ObjectRef, &'w IngressRoute<'w>>,
    statuses: GraphState,
}

impl<'w> DelegationForest<'w> {
    /// The objects that have a status but could not be read as a whole, in order.
    fn unreadable(&self, view: Overlay<'w>) -> impl Iterator<Item = UnservedObject<'w>> {
        let mut unread: Vec<_> =
            self.statuses.iter().filter(|(object_ref, _)| !self.routes.contains_key(*object_ref)).collect();
        unread.sort_unstable_by_key(|(object_ref, _)| *object_ref);
        unread.into_iter().filter_map(move |(object_ref, status)| {
            let Lookup::Found(facts) = view.delegation(object_ref) else { return None };
            let (object, class) = (&facts.object_ref, facts.class.as_deref());
            Some(UnservedObject { object, class, host: None, reason: reason(status) })
        })
    }

    fn tree(&self, object_ref: &'w ObjectRef, root: &'w IngressRoute<'w>, host: Host<'w>) -> Tree<'w> {
        let chain = RouteChain::begin(object_ref, At::field("spec.virtualhost.fqdn"), format!("host {host}"));
        let tls_handling = self.tls_handling(object_ref, root, &chain);
        let mut tree = Tree::new(object_ref, root.class(), host, tls_handling);
        self.expand(&mut tree, root, chain);
        tree
    }

    /// Adds the routes in reverse order, so that the first route found for a match is the last one in order, and an
    /// object that is delegated to several times is added at the last delegation. This is iterative, since a chain of
    /// delegations may be longer than the stack allows.
    fn expand(&self, tree: &mut Tree<'w>, root: &'w IngressRoute<'w>, chain: Rc<RouteChain<'w>>) {
        // With tcpproxy, TLS connections are forwarded as a whole, so a redirect of plain HTTP to HTTPS would lead
        // nowhere.
        let has_tcpproxy = root.spec.tcpproxy.is_some();
        let mut known: HashMap<&str, (&ObjectRef, At)> = HashMap::new();
        let mut seen = HashSet::from([tree.root]);
        let mut open = vec![(tree.root, root, chain, root.spec.routes.len())];
        while let Some((object_ref, object, chain, left)) = open.last_mut() {
            let Some(index) = left.checked_sub(1) else {
                open.pop();
                continue;
            };
            *left = index;
            let (object_ref, object, chain) = (*object_ref, *object, Rc::clone(chain));
            let (route, at) = (&object.spec.routes[index], At::element("spec.routes[]", [index]));
            if let Some(delegate) = &route.delegate {
                match self.follow(object_ref, Some(index), delegate) {
                    Ok((target, child)) if seen.insert(target) => {
                        let message = format!("{} is delegated to {target}", route.prefix());
                        open.push((target, child, chain.followed_by(object_ref, at, message), child.spec.routes.len()));
                    }
                    Ok(_) => {}
                    Err(reason) => tree.replaced.push(loser(object_ref, at, reason)),
                }
            } else if let Some((winner, field)) = known.get(route.prefix()) {
                let field = FieldPath::from(*field);
                let reason = format!("overridden: {field} of {winner} has the same match and comes later");
                tree.replaced.push(loser(object_ref, at, reason));
            } else {
                known.insert(route.prefix(), (object_ref, at));
                let mut leaf = resolved(tree, (object_ref, at), route, chain);
                leaf.permits_insecure |= has_tcpproxy;
                tree.leaves.push(leaf);
            }
        }
        tree.leaves.reverse();
        tree.replaced.reverse();
    }

    /// The target of a delegation, or the reason why it has no effect.
    fn follow(
        &self,
        object_ref: &ObjectRef,
        route: Option<usize>,
        delegate: &Delegate<'_>,
    ) -> Result<(&'w ObjectRef, &'w IngressRoute<'w>), String> {
        let target = ObjectRef::new(Kind::IngressRoute, delegate.namespace_from(&object_ref.namespace), &delegate.name);
        let status = self.statuses.get(object_ref);
        let failing = status.and_then(|status| status.failing.iter().find(|failing| failing.route == route));
        match (failing, self.routes.get_key_value(&target)) {
            (Some(failing), _) => Err(format!("delegates to {}", failing.words())),
            (None, Some((object_ref, route))) if self.is_valid(object_ref) => Ok((object_ref, route)),
            (None, _) => Err(format!("delegates to {target}, which is not known")),
        }
    }

    fn is_valid(&self, object_ref: &ObjectRef) -> bool {
        self.statuses.get(object_ref).is_some_and(|status| status.state == DelegationState::Valid)
    }

    /// How the host handles TLS connections.
    fn tls_handling(
        &self,
        root: &'w ObjectRef,
        route: &'w IngressRoute<'w>,
        chain: &Rc<RouteChain<'w>>,
    ) -> TlsHandling<'w> {
        let has_tls = route.spec.virtualhost.as_ref().is_some_and(|host| host.tls.is_some());
        if !has_tls || route.spec.tcpproxy.is_none() {
            return if has_tls { TlsHandling::Terminated } else { TlsHandling::PlainHttp };
        }
        let at = At::field("spec.tcpproxy");
        let (mut object_ref, mut object, mut chain, mut seen) = (root, route, Rc::clone(chain), HashSet::from([root]));
        while let Some(tcpproxy) = object.spec.tcpproxy.as_deref() {
            let Some(delegate) = &tcpproxy.delegate else {
                let candidate = Candidate::of_everything(object_ref, None, at, [0, 0]);
                let services = route_action::weighted(&tcpproxy.services);
                let action = RouteAction::Services(RouteServices::of_connections(services));
                let not_evaluated = Vec::new();
                let route = ResolvedRoute { candidate, chain, action, not_evaluated, permits_insecure: true };
                return TlsHandling::TcpProxy(Box::new(route));
            };
            match self.follow(object_ref, None, delegate) {
                Ok((target, child)) if seen.insert(target) => {
                    chain = chain.followed_by(object_ref, at, format!("connections are delegated to {target}"));
                    (object_ref, object) = (target, child);
                }
                Ok((target, _)) => {
                    return TlsHandling::Unroutable(format!("tcpproxy of {object_ref} leads back to {target}"));
                }
                Err(reason) => return TlsHandling::Unroutable(format!("tcpproxy of {object_ref} {reason}")),
            }
        }
        TlsHandling::Unroutable(format!("{object_ref} has no tcpproxy"))
    }
}

fn loser(object_ref: &ObjectRef, at: At, reason: String) -> Loser {
    Loser { object: object_ref.clone(), field: at.into(), reason, is_elsewhere: false }
}

/// A route of a tree that requests may reach, in a position before those that the tree already has.
fn resolved<'w>(
    tree: &Tree<'w>,
    (object_ref, at): (&'w ObjectRef, At),
    route: &'w PathRoute<'w>,
    chain: Rc<RouteChain<'w>>,
) -> ResolvedRoute<'w> {
    let position = [usize::MAX - tree.leaves.len(), 0];
    let path = PathTest::Begins(route.prefix().into());
    let candidate = Candidate { head: tree.root, path, ..Candidate::of_everything(object_ref, None, at, position) };
    let (action, not_evaluated) = route_action::of_path_route(route, at);
    ResolvedRoute { candidate, chain, action, not_evaluated, permits_insecure: route.permit_insecure }
}
