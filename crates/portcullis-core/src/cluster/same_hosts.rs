//! The roots that name the same hosts as a changed object. Where the first namespace that serves a host owns it, their
//! verdicts depend on that object.

use std::sync::Arc;

use super::gateway_facts::{DEFAULT_GATEWAYS, GatewayRouteFacts};
use super::hosts::ROUTES_WITH_HOSTS;
use super::{Cluster, Event, IngressFacts};
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;

impl Cluster {
    /// Marks the roots that name a host of the object at `object_ref` as dirty.
    pub(super) fn touch_roots_with_hosts_of(&mut self, object_ref: &ObjectRef) {
        let roots = self.roots_with(&self.hosts_of(object_ref));
        roots.iter().for_each(|root| self.delegations.touch_object(root));
    }

    /// The object whose change may change verdicts on roots with the same hosts. None before single objects are
    /// collected, or if the view already shows the object in this state.
    pub(super) fn changed_object(&self, event: &Event) -> Option<ObjectRef> {
        match event {
            _ if !self.collects_roots() => None,
            Event::Apply(facts) => (!self.holds(facts)).then(|| facts.object_ref()),
            Event::Delete(object_ref) => Some(object_ref.clone()),
            _ => None,
        }
    }

    /// Marks the roots as dirty that name a host which a route in `namespace` names or may have from a listener: listeners
    /// may select routes by the labels of their Namespace.
    pub(super) fn touch_roots_with_hosts_in(&mut self, namespace: &str) {
        if self.collects_roots() {
            let routes = self.gateways.routes_in(namespace);
            let hosts: Vec<_> = routes.flat_map(|route| self.hosts_of_route(route)).collect();
            let roots = self.roots_with(&hosts);
            roots.iter().for_each(|root| self.delegations.touch_object(root));
        }
    }

    fn collects_roots(&self) -> bool {
        self.delegations.collects_dirty() && self.delegations.count(Kind::IngressRoute) > 0
    }

    fn roots_with(&self, hosts: &[Host<'_>]) -> Vec<Arc<ObjectRef>> {
        let named = hosts.iter().flat_map(|host| self.hosts.shared(host));
        named.filter(|object_ref| object_ref.kind == Kind::IngressRoute).cloned().collect()
    }

    /// The hosts that the object serves or may serve, as far as it is known.
    fn hosts_of(&self, object_ref: &ObjectRef) -> Vec<Host<'_>> {
        match object_ref.kind {
            Kind::Ingress => {
                let facts = self.ingresses.get(&object_ref.namespace, &object_ref.name);
                facts.into_iter().flat_map(IngressFacts::hosts).collect()
            }
            Kind::Gateway | Kind::ListenerSet => {
                let own = self.gateways.listeners(object_ref);
                let all: Vec<_> = own.into_iter().chain(self.gateways.sets_of(object_ref)).collect();
                let listeners = all.iter().flat_map(|facts| &facts.listeners).map(|listener| &listener.host);
                // Whether a listener accepts a route decides whether the route holds its hosts.
                let parents = all.iter().map(|facts| &facts.object_ref);
                let parents = parents.chain(own.filter(|own| own.is_default).map(|_| &DEFAULT_GATEWAYS));
                let routes = parents.flat_map(|parent| {
                    ROUTES_WITH_HOSTS.into_iter().flat_map(|kind| self.gateways.routes_of(parent, kind, ""))
                });
                listeners.chain(routes.flat_map(|route| &route.hosts)).map(Host::borrowed).collect()
            }
            Kind::IngressRoute | Kind::HttpProxy => {
                let root = self.delegations.get(object_ref).and_then(|facts| facts.root.as_ref());
                root.map(Host::borrowed).into_iter().collect()
            }
            _ => match self.gateways.route(object_ref) {
                Some(route) => self.hosts_of_route(route),
                None => Vec::new(),
            },
        }
    }

    /// The hosts that a route names, or else those of the listeners of its parents.
    fn hosts_of_route<'c>(&'c self, route: &'c GatewayRouteFacts) -> Vec<Host<'c>> {
        if !route.hosts.is_empty() {
            return route.hosts.iter().map(Host::borrowed).collect();
        }
        let named = route.parents.iter().filter_map(|parent| self.gateways.listeners(&parent.target));
        let defaults = route.uses_defaults.then(|| self.gateways.defaults()).into_iter().flatten();
        named.chain(defaults).flat_map(|facts| &facts.listeners).map(|listener| listener.host.borrowed()).collect()
    }
}
