//! IngressRoutes: a host is its root's, and the routes of every object on a live delegation stand in one table, with their matches as they
//! are written. Of two with the same match the later one in the walk answers, children standing where they are delegated to.

use std::collections::HashSet;
use std::rc::Rc;

use hashbrown::HashMap;

use super::answer::{Api, Loser};
use super::candidate::Candidate;
use super::route_chain::{End, ResolvedRoute, RouteChain, Service};
use super::route_resolver::Stored;
use super::trees::{Connections, Idle, Tree, Trees};
use crate::cluster::{Cluster, Dirty, Lookup, Overlay};
use crate::config::Config;
use crate::field::{At, FieldPath};
use crate::kinds::ingress_route::{Delegate, WeightedService};
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
    let mut verdicts = GraphState::default();
    verdicts.reconcile(Dirty::Everything, cluster, config);
    let routes = objects.iter().filter_map(|stored| match &stored.object {
        Object::IngressRoute(route) => Some((&stored.object_ref, route)),
        _ => None,
    });
    let forest = DelegationForest { routes: routes.collect(), verdicts };
    let (mut all, mut idle) = (Vec::new(), Vec::new());
    let mut places: Vec<_> = forest.routes.keys().copied().collect();
    places.sort_unstable();
    for object_ref in places {
        let (route, verdict) = (forest.routes[object_ref], forest.verdicts.get(object_ref));
        let host = route.spec.virtualhost.as_ref().map(|host| Host::parse(&host.fqdn));
        match (verdict, host) {
            (Some(verdict), Some(host)) if verdict.state == DelegationState::Valid => {
                all.push(forest.tree(object_ref, route, host))
            }
            (Some(verdict), host) if verdict.state != DelegationState::Valid => {
                idle.push(Idle { object: object_ref, class: route.class(), host, reason: reason(verdict) });
            }
            _ => {}
        }
    }
    // What cannot be read has a verdict and no object.
    let mut unread: Vec<_> =
        forest.verdicts.iter().filter(|(object_ref, _)| !forest.routes.contains_key(*object_ref)).collect();
    unread.sort_unstable_by_key(|(object_ref, _)| *object_ref);
    for (object_ref, verdict) in unread {
        let Lookup::Found(facts) = view.delegation(object_ref) else { continue };
        idle.push(Idle {
            object: &facts.object_ref,
            class: facts.class.as_deref(),
            host: None,
            reason: reason(verdict),
        });
    }
    Trees::new(Api::IngressRoute, view, all, idle)
}

/// Why an object serves nothing.
fn reason(verdict: &GraphStatus) -> String {
    let status = IngressRouteStatus::of(verdict, Disclosure::All);
    match verdict.state {
        DelegationState::Orphaned => "orphaned: no accepted root delegates to it".to_owned(),
        _ => format!("{}: {}", status.current_status, status.description),
    }
}

struct DelegationForest<'w> {
    routes: HashMap<&'w ObjectRef, &'w IngressRoute<'w>>,
    verdicts: GraphState,
}

impl<'w> DelegationForest<'w> {
    fn tree(&self, object_ref: &'w ObjectRef, root: &'w IngressRoute<'w>, host: Host<'w>) -> Tree<'w> {
        let way = RouteChain::begin(object_ref, At::field("spec.virtualhost.fqdn"), format!("host {host}"));
        let connections = self.connections(object_ref, root, &way);
        let mut tree = Tree::new(object_ref, root.class(), host, connections);
        self.grow(&mut tree, root, way);
        tree
    }

    /// Adds the routes from the last to the first, so that of two with one match the first that is met stays, and of an object that is
    /// delegated to more than once the last place counts. Without recursion: a chain may be longer than the stack is deep.
    fn grow(&self, tree: &mut Tree<'w>, root: &'w IngressRoute<'w>, way: Rc<RouteChain<'w>>) {
        // Beside tcpproxy nobody could answer a request that is sent to TLS.
        let has_tcpproxy = root.spec.tcpproxy.is_some();
        let mut known: HashMap<&str, (&ObjectRef, At)> = HashMap::new();
        let mut seen = HashSet::from([tree.root]);
        let mut open = vec![(tree.root, root, way, root.spec.routes.len())];
        while let Some((object_ref, object, way, left)) = open.last_mut() {
            let Some(index) = left.checked_sub(1) else {
                open.pop();
                continue;
            };
            *left = index;
            let (object_ref, object, way) = (*object_ref, *object, Rc::clone(way));
            let (route, at) = (&object.spec.routes[index], At::element("spec.routes[]", [index]));
            if let Some(delegate) = &route.delegate {
                match self.follow(object_ref, Some(index), delegate) {
                    Ok((target, child)) if seen.insert(target) => {
                        let message = format!("{} is delegated to {target}", route.prefix());
                        open.push((target, child, way.on(object_ref, at, message), child.spec.routes.len()));
                    }
                    Ok(_) => {}
                    Err(reason) => {
                        tree.replaced.push(Loser { object: object_ref.clone(), field: at.into(), reason });
                    }
                }
                continue;
            }
            if let Some((winner, field)) = known.get(route.prefix()) {
                let field = FieldPath::from(*field);
                let reason = format!("overridden: {field} of {winner} has the same match and comes later");
                tree.replaced.push(Loser { object: object_ref.clone(), field: at.into(), reason });
                continue;
            }
            known.insert(route.prefix(), (object_ref, at));
            let position = [usize::MAX - tree.leaves.len(), 0];
            let path = PathTest::Begins(route.prefix().into());
            let candidate =
                Candidate { head: tree.root, path, ..Candidate::of_everything(object_ref, None, at, position) };
            let (end, permits_insecure) =
                (End::Services(services(route.services().1)), route.permit_insecure || has_tcpproxy);
            tree.leaves.push(ResolvedRoute { candidate, way, end, permits_insecure });
        }
        tree.leaves.reverse();
        tree.replaced.reverse();
    }

    /// What a delegation leads to, or why it is void.
    fn follow(
        &self,
        object_ref: &ObjectRef,
        route: Option<usize>,
        delegate: &Delegate<'_>,
    ) -> Result<(&'w ObjectRef, &'w IngressRoute<'w>), String> {
        let target = ObjectRef::new(Kind::IngressRoute, delegate.namespace_from(&object_ref.namespace), &delegate.name);
        let verdict = self.verdicts.get(object_ref);
        let failing = verdict.and_then(|verdict| verdict.failing.iter().find(|failing| failing.route == route));
        match (failing, self.routes.get_key_value(&target)) {
            (Some(failing), _) => Err(format!("delegates to {}", failing.words())),
            (None, Some((object_ref, route))) if self.is_valid(object_ref) => Ok((object_ref, route)),
            (None, _) => Err(format!("delegates to {target}, of which nothing is known")),
        }
    }

    fn is_valid(&self, object_ref: &ObjectRef) -> bool {
        self.verdicts.get(object_ref).is_some_and(|verdict| verdict.state == DelegationState::Valid)
    }

    /// What becomes of connections over TLS.
    fn connections(
        &self,
        root: &'w ObjectRef,
        route: &'w IngressRoute<'w>,
        way: &Rc<RouteChain<'w>>,
    ) -> Connections<'w> {
        let has_tls = route.spec.virtualhost.as_ref().is_some_and(|host| host.tls.is_some());
        if !has_tls || route.spec.tcpproxy.is_none() {
            return if has_tls { Connections::Ended } else { Connections::Plain };
        }
        let at = At::field("spec.tcpproxy");
        let (mut object_ref, mut object, mut way, mut seen) = (root, route, Rc::clone(way), HashSet::from([root]));
        while let Some(tcpproxy) = object.spec.tcpproxy.as_deref() {
            let Some(delegate) = &tcpproxy.delegate else {
                let candidate = Candidate::of_everything(object_ref, None, at, [0, 0]);
                let end = End::Services(services(&tcpproxy.services));
                return Connections::Whole(Box::new(ResolvedRoute { candidate, way, end, permits_insecure: true }));
            };
            match self.follow(object_ref, None, delegate) {
                Ok((target, child)) if seen.insert(target) => {
                    way = way.on(object_ref, at, format!("connections are delegated to {target}"));
                    (object_ref, object) = (target, child);
                }
                Ok((target, _)) => {
                    return Connections::Nowhere(format!("tcpproxy of {object_ref} leads back to {target}"));
                }
                Err(reason) => return Connections::Nowhere(format!("tcpproxy of {object_ref} {reason}")),
            }
        }
        Connections::Nowhere(format!("{object_ref} has no tcpproxy"))
    }
}

fn services<'w>(services: &'w [WeightedService<'w>]) -> Vec<Service<'w>> {
    services.iter().map(|service| (&*service.name, service.port, service.weight)).collect()
}
