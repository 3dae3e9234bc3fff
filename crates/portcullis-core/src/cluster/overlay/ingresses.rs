//! The look-ups of Ingresses and IngressClasses.

use super::Overlay;
use crate::cluster::reads::ReadKey;
use crate::cluster::{Cluster, IngressClaim, IngressClassFacts, IngressFacts, Lookup, PlaneKey, SyncState};
use crate::kinds::{Kind, ObjectRef};
use crate::matching::alias::Alias;
use crate::matching::path_interpretation::NotatedPath;
use crate::matching::{DataPlaneHints, Host};

impl<'c> Overlay<'c> {
    /// The IngressClass of this name.
    pub fn ingress_class(&self, name: &str) -> Lookup<&'c IngressClassFacts> {
        self.reads(Kind::IngressClass);
        self.depends_on_object(Kind::IngressClass, "", name);
        self.cluster.answer(Kind::IngressClass, "", self.cluster.classes.get(name))
    }

    /// The other classes marked as default, ordered by name; `Unknown` if none is known but some may exist.
    pub fn default_classes(&self) -> Lookup<Vec<&'c IngressClassFacts>> {
        self.reads(Kind::IngressClass);
        self.depends_on(|| ReadKey::Kind(Kind::IngressClass));
        let defaults = |view: &'c Cluster| view.classes.values().filter(|class| class.default);
        let others = self.with_reserved_classes(defaults, |class| &class.name);
        let others = others.filter(|class| !self.is_this(&class.object_ref()));
        match (others.collect::<Vec<_>>(), self.cluster.knowledge(Kind::IngressClass)) {
            (none, SyncState::Complete) if none.is_empty() => Lookup::Absent,
            (none, _) if none.is_empty() => Lookup::Unknown,
            (some, _) => Lookup::Found(some),
        }
    }

    /// The claims of other Ingresses under this key for exactly this host and a path that some controller treats as equal
    /// to `path`, unordered. Of Ingresses that no comparison distinguishes, only the oldest is returned. Of a namespace with
    /// many different hints, those with these `hints` and the first ones are returned.
    pub fn ingress_claims(
        &self,
        plane: PlaneKey<'_>,
        host: &Host<'_>,
        path: NotatedPath<'_>,
        hints: Option<&DataPlaneHints>,
    ) -> Vec<IngressClaim<'c>> {
        self.reads(Kind::Ingress);
        let is_other = |object_ref: &ObjectRef| !self.is_this(object_ref);
        self.views().flat_map(|view| view.ingresses.with_claim(plane, host, path, hints, is_other)).collect()
    }

    /// The other Ingresses under this key, in the namespace of the object under review, that send requests to `service`, a
    /// name with a port, unordered. Canaries are left out, and of Ingresses that no comparison distinguishes, only the
    /// oldest is returned.
    pub fn ingresses_with_service(&self, plane: PlaneKey<'_>, service: &str) -> Vec<&'c IngressFacts> {
        self.reads(Kind::Ingress);
        let (namespace, is_other) = (&self.this.namespace, |object_ref: &ObjectRef| !self.is_this(object_ref));
        self.views().flat_map(|view| view.ingresses.with_service(plane, namespace, service, is_other)).collect()
    }

    /// The other Ingresses that have exactly this host in a rule, or by the annotation, unordered. Of each namespace the
    /// oldest ones are returned, and of those that no comparison distinguishes only the first. There are none for
    /// `Host::Any`, which is not indexed.
    pub fn ingress_holders(&self, host: &Host<'_>) -> Vec<(&'c IngressFacts, Option<&'static Alias>)> {
        self.reads(Kind::Ingress);
        self.views().flat_map(|view| view.ingresses.with_host(host, |object_ref| !self.is_this(object_ref))).collect()
    }

    /// Like [`ingress_holders`](Self::ingress_holders), including the stored state of the object under review, and those
    /// with an annotation that lists the host in an expression, a predicate or a condition.
    pub fn stored_ingress_holders(&self, host: &Host<'_>) -> Vec<(&'c IngressFacts, Option<&'static Alias>)> {
        self.reads(Kind::Ingress);
        let holders = |view: &'c Cluster| [view.ingresses.with_host(host, |_| true), view.ingresses.describing(host)];
        self.views().flat_map(holders).flatten().collect()
    }

    /// Whether ingress-nginx may read the paths of exactly this host as expressions because of another Ingress.
    pub fn may_be_expressions(&self, host: &Host<'_>) -> bool {
        self.reads(Kind::Ingress);
        self.views().any(|view| view.ingresses.may_be_expressions(host, |object_ref| !self.is_this(object_ref)))
    }

    /// The other Ingresses with a rule for exactly this host, unordered. There are none for `Host::Any`, which is not
    /// indexed.
    pub fn ingresses_with_host(&self, host: &Host<'_>) -> impl Iterator<Item = &'c IngressFacts> {
        self.reads(Kind::Ingress);
        let others = self.views().flat_map(move |view| view.ingresses.naming(host));
        others.filter(|facts| !self.is_this(&facts.object_ref))
    }

    /// All IngressClasses, ordered by name.
    pub fn ingress_classes(&self) -> impl Iterator<Item = &'c IngressClassFacts> {
        self.reads(Kind::IngressClass);
        self.depends_on(|| ReadKey::Kind(Kind::IngressClass));
        self.cluster.classes.values()
    }

    /// Whether annotations of any Ingress, including the one under review, add hosts to its rules.
    pub fn has_added_hosts(&self) -> bool {
        self.reads(Kind::Ingress);
        self.views().any(|view| view.ingresses.has_added_hosts())
    }

    /// The Ingresses that name `class`, unordered.
    pub fn ingresses_of_class(&self, class: &str) -> impl Iterator<Item = &'c IngressFacts> {
        self.reads(Kind::Ingress);
        self.cluster.ingresses.of_class(class)
    }
}
