//! The look-ups of objects of the Gateway API.

use super::Overlay;
use crate::cluster::gateway_facts::{
    GatewayClassFacts, GatewayRouteFacts, GrantFacts, ListenersFacts, Permission, PolicyFacts,
};
use crate::cluster::reads::ReadKey;
use crate::cluster::route_claim::{RouteClaim, RouteReference};
use crate::cluster::route_index::FirstRoute;
use crate::cluster::{Cluster, Lookup, SyncState};
use crate::kinds::{Kind, KindSet, ObjectRef};
use crate::matching::Host;

impl<'c> Overlay<'c> {
    /// The GatewayClass of this name.
    pub fn gateway_class(&self, name: &str) -> Lookup<&'c GatewayClassFacts> {
        self.reads(Kind::GatewayClass);
        self.depends_on_object(Kind::GatewayClass, "", name);
        self.cluster.answer(Kind::GatewayClass, "", self.cluster.gateways.class(name))
    }

    /// All GatewayClasses, ordered by name.
    pub fn gateway_classes(&self) -> impl Iterator<Item = &'c GatewayClassFacts> {
        self.reads(Kind::GatewayClass);
        self.depends_on(|| ReadKey::Kind(Kind::GatewayClass));
        self.cluster.gateways.classes()
    }

    /// The other GatewayClasses that the default annotation of Portcullis, or one of the additional `keys`, makes the
    /// default, ordered by name; `Unknown` if none is known but some may exist.
    pub fn default_gateway_classes(&self, keys: &[impl AsRef<str>]) -> Lookup<Vec<&'c GatewayClassFacts>> {
        self.reads(Kind::GatewayClass);
        self.depends_on(|| ReadKey::Kind(Kind::GatewayClass));
        let defaults = |view: &'c Cluster| view.gateways.classes().filter(|class| class.is_default(keys));
        let others = self.with_reserved_classes(defaults, |class| &class.name);
        let others = others.filter(|class| !self.is_this(&class.object_ref()));
        match (others.collect::<Vec<_>>(), self.cluster.knowledge(Kind::GatewayClass)) {
            (none, SyncState::Complete) if none.is_empty() => Lookup::Absent,
            (none, _) if none.is_empty() => Lookup::Unknown,
            (some, _) => Lookup::Found(some),
        }
    }

    /// The Gateway or ListenerSet at `object_ref`.
    pub fn listeners(&self, object_ref: &ObjectRef) -> Lookup<&'c ListenersFacts> {
        self.reads(object_ref.kind);
        self.depends_on(|| ReadKey::Object(object_ref.clone()));
        self.cluster.answer(object_ref.kind, &object_ref.namespace, self.cluster.gateways.listeners(object_ref))
    }

    /// The route of the Gateway API at `object_ref`.
    pub fn route(&self, object_ref: &ObjectRef) -> Lookup<&'c GatewayRouteFacts> {
        self.reads(object_ref.kind);
        self.depends_on(|| ReadKey::Object(object_ref.clone()));
        self.cluster.answer_at(object_ref, self.views().find_map(|view| view.gateways.route(object_ref)))
    }

    /// The other Gateways of `class`, ordered by reference.
    pub fn gateways_of_class(&self, class: &str) -> impl Iterator<Item = &'c ListenersFacts> {
        self.reads(Kind::Gateway);
        self.depends_on(|| ReadKey::GatewaysOf(class.into()));
        self.cluster.gateways.of_class(class).filter(|facts| !self.is_this(&facts.object_ref))
    }

    /// The other Gateways to which routes with `useDefaultGateways` attach, ordered by reference.
    pub fn default_gateways(&self) -> impl Iterator<Item = &'c ListenersFacts> {
        self.reads(Kind::Gateway);
        self.depends_on(|| ReadKey::DefaultGateways);
        self.cluster.gateways.defaults().filter(|facts| !self.is_this(&facts.object_ref))
    }

    /// The other ListenerSets that add listeners to `gateway`, ordered by reference.
    pub fn sets_of(&self, gateway: &ObjectRef) -> impl Iterator<Item = &'c ListenersFacts> {
        self.reads(Kind::ListenerSet);
        self.depends_on(|| ReadKey::SetsOf(gateway.clone()));
        self.cluster.gateways.sets_of(gateway).filter(|facts| !self.is_this(&facts.object_ref))
    }

    /// The other objects that have a listener of this port and protocol at `gateway`, and of this host if one is given: the
    /// Gateway itself and its ListenerSets. Of each namespace only the one that takes precedence is returned.
    pub fn listener_owners(
        &self,
        gateway: &ObjectRef,
        listener: (i64, &str, Option<&Host<'_>>),
    ) -> Vec<&'c ListenersFacts> {
        self.reads_listeners(gateway);
        let index = self.cluster.gateways.listener_index();
        let owners = index.owners(gateway, listener, |object_ref| !self.is_this(object_ref));
        owners.filter_map(|object_ref| self.cluster.gateways.listeners(object_ref)).collect()
    }

    /// Records that the listeners of `gateway` and of its ListenerSets are read.
    fn reads_listeners(&self, gateway: &ObjectRef) {
        if !self.is_this(gateway) {
            self.reads(Kind::Gateway);
            self.depends_on(|| ReadKey::Object(gateway.clone()));
        }
        self.reads(Kind::ListenerSet);
        self.depends_on(|| ReadKey::SetsOf(gateway.clone()));
    }

    /// The number of listeners of `gateway` and its ListenerSets, except those of the object under review.
    pub fn listener_count(&self, gateway: &ObjectRef) -> usize {
        self.reads_listeners(gateway);
        let stored = self.cluster.gateways.listeners(self.this).filter(|stored| stored.gateway() == gateway);
        self.cluster.gateways.listener_index().count(gateway) - stored.map_or(0, |stored| stored.listeners.len())
    }

    /// The other routes of `kind` that refer to `parent`: first those of other namespaces, then those of the namespace
    /// of the object under review, each part ordered by reference.
    pub fn routes_of(&self, parent: &ObjectRef, kind: Kind) -> impl Iterator<Item = &'c GatewayRouteFacts> {
        self.reads(kind);
        self.depends_on(|| ReadKey::RoutesOf(parent.clone(), kind));
        let others = self.views().flat_map(move |view| view.gateways.routes_of(parent, kind, &self.this.namespace));
        others.filter(|facts| !self.is_this(&facts.object_ref))
    }

    /// The routes of `kind` in other namespaces that refer to `parent`: of each namespace the first by name, at most `most`.
    pub fn first_routes_of(
        &self,
        parent: &ObjectRef,
        kind: Kind,
        most: usize,
    ) -> impl Iterator<Item = &'c GatewayRouteFacts> {
        self.reads(kind);
        self.depends_on(|| ReadKey::RoutesOf(parent.clone(), kind));
        let own = &self.this.namespace;
        self.views().flat_map(move |view| view.gateways.first_routes_of(parent, kind, own, most))
    }

    /// The routes that send requests to `service`, ordered by reference.
    pub fn routes_to(&self, service: &ObjectRef) -> impl Iterator<Item = &'c GatewayRouteFacts> {
        self.record(KindSet::ROUTES);
        self.depends_on(|| ReadKey::RoutesTo(service.clone()));
        self.cluster.gateways.routes_to(service)
    }

    /// Another HTTPRoute that delegates to routes, which some implementations support. `Absent` if all HTTPRoutes of
    /// `namespace` are known and no known HTTPRoute of any namespace delegates.
    pub fn delegating_route(&self, namespace: &str) -> Lookup<&'c ObjectRef> {
        self.reads(Kind::HttpRoute);
        self.depends_on(|| ReadKey::Kind(Kind::HttpRoute));
        let delegating = self.cluster.gateways.delegating_routes().find(|object_ref| !self.is_this(object_ref));
        match delegating {
            None if self.cluster.cut_objects(Kind::HttpRoute) > 0 => Lookup::Unknown,
            delegating => self.cluster.answer(Kind::HttpRoute, namespace, delegating),
        }
    }

    /// Whether routes of `kind` exist, including the one under review. A computation that [records](Self::recording) what
    /// it reads must also ask for the routes of a parent, since this answer is not recorded.
    pub fn has_routes(&self, kind: Kind) -> bool {
        self.reads(kind);
        self.views().any(|view| view.gateways.count(kind) > 0)
    }

    /// The other routes of `kind` that refer to `parent` or to a section of it and name exactly this host, ordered by
    /// reference.
    pub fn routes_with_host(
        &self,
        parent: &ObjectRef,
        kind: Kind,
        host: &Host<'_>,
    ) -> impl Iterator<Item = &'c GatewayRouteFacts> {
        self.reads(kind);
        self.depends_on(|| ReadKey::RoutesOf(parent.clone(), kind));
        let others = self.views().flat_map(move |view| view.gateways.routes_with_host(parent, host));
        self.referring(others, parent, kind)
    }

    /// The other routes of `kind` that refer to `parent` or to a section of it and name a host that `host`, a wildcard
    /// or `Host::Any`, covers.
    pub fn routes_covered(
        &self,
        parent: &ObjectRef,
        kind: Kind,
        host: &Host<'_>,
    ) -> impl Iterator<Item = &'c GatewayRouteFacts> {
        self.reads(kind);
        self.depends_on(|| ReadKey::RoutesOf(parent.clone(), kind));
        let others = self.views().flat_map(move |view| view.gateways.routes_covered(parent, kind, host));
        self.referring(others, parent, kind)
    }

    /// The routes of `kind` among `routes` that refer to `parent`.
    fn referring(
        &self,
        routes: impl Iterator<Item = &'c GatewayRouteFacts>,
        parent: &ObjectRef,
        kind: Kind,
    ) -> impl Iterator<Item = &'c GatewayRouteFacts> {
        let others = routes.filter(move |facts| facts.object_ref.kind == kind && !self.is_this(&facts.object_ref));
        others.filter(move |facts| facts.refers_to(parent))
    }

    /// The other routes of `kind` with this claim, unordered. Of routes that no comparison distinguishes, only the oldest
    /// is returned. The caller checks the parents of a route that is found without a reference.
    pub fn routes_with_claim(
        &self,
        kind: Kind,
        reference: Option<RouteReference<'_>>,
        claim: RouteClaim<'_>,
    ) -> Vec<FirstRoute<'c>> {
        self.reads(kind);
        self.depends_on(|| reference.map_or(ReadKey::Kind(kind), |of| ReadKey::RoutesOf(of.parent.clone(), kind)));
        let is_other = |object_ref: &ObjectRef| !self.is_this(object_ref);
        self.views().flat_map(|view| view.gateways.routes_with_claim(kind, reference, claim, is_other)).collect()
    }

    /// The grants with this permission, ordered by reference. Call [`knows`](Self::knows) before concluding that there is
    /// none.
    pub fn grants(&self, permission: Permission<'_>) -> impl Iterator<Item = &'c GrantFacts> {
        self.reads(Kind::ReferenceGrant);
        self.depends_on(|| ReadKey::Grants(permission.to.2.into(), permission.from.2.into()));
        self.cluster.gateways.grants(permission).filter(|facts| !self.is_this(&facts.object_ref))
    }

    /// The other policies that target this port of `service`, or the Service as a whole without one, ordered by reference.
    pub fn policies_of<'s>(
        &'s self,
        service: &ObjectRef,
        section: Option<&str>,
    ) -> impl Iterator<Item = &'c PolicyFacts> + use<'c, 's> {
        self.reads(Kind::BackendTlsPolicy);
        self.depends_on(|| ReadKey::PoliciesOf(service.clone()));
        self.cluster.gateways.policies_of(service, section).filter(|facts| !self.is_this(&facts.object_ref))
    }
}
