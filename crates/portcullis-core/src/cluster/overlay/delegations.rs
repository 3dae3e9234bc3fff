//! The look-ups of IngressRoutes, HTTPProxies and delegated certificates.

use super::Overlay;
use crate::cluster::Lookup;
use crate::cluster::delegation_facts::DelegationFacts;
use crate::cluster::reads::ReadKey;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;

impl<'c> Overlay<'c> {
    /// The IngressRoute or HTTPProxy at `object_ref`.
    pub fn delegation(&self, object_ref: &ObjectRef) -> Lookup<&'c DelegationFacts> {
        self.reads(object_ref.kind);
        self.depends_on(|| ReadKey::Object(object_ref.clone()));
        self.cluster.answer_at(object_ref, self.views().find_map(|view| view.delegations.get(object_ref)))
    }

    /// The other IngressRoutes or HTTPProxies that delegate to `object_ref`, ordered by reference.
    pub fn referrers(&self, object_ref: &ObjectRef) -> impl Iterator<Item = &'c DelegationFacts> {
        self.reads(object_ref.kind);
        self.cluster.delegations.referrers(object_ref).filter(|facts| !self.is_this(&facts.object_ref))
    }

    /// Whether all delegations to objects of `kind` are known: all objects of the kind, and all delegations of each.
    pub fn knows_referrers(&self, kind: Kind) -> bool {
        self.is_complete(kind) && !self.has_unknown_referrers(kind)
    }

    /// Whether an object of `kind` has delegations that are not kept: it is cut, or has too many of them.
    pub fn has_unknown_referrers(&self, kind: Kind) -> bool {
        self.cluster.cut_objects(kind) > 0 || self.cluster.delegations.has_truncated(kind)
    }

    /// The other IngressRoutes of `class` that use another load balancing strategy than `strategy` for this port of a
    /// Service, given by namespace and name, each with its strategy.
    pub fn users_with_other_strategy(
        &self,
        service: (&str, &str),
        port: i64,
        class: Option<&str>,
        strategy: &str,
    ) -> impl Iterator<Item = (&'static str, &'c ObjectRef)> {
        self.reads(Kind::IngressRoute);
        let users = self.cluster.delegations.users_with_other_strategy(service, port, class, strategy);
        users.filter(|(_, object_ref)| !self.is_this(object_ref))
    }

    /// The other roots of `kind` and `class` that claim exactly this host, ordered by reference.
    pub fn roots(&self, kind: Kind, class: Option<&str>, host: &Host<'_>) -> impl Iterator<Item = &'c DelegationFacts> {
        self.reads(kind);
        let others = self.views().flat_map(move |view| view.delegations.roots(kind, class, host));
        others.filter(|facts| !self.is_this(&facts.object_ref))
    }

    /// Whether objects in `namespace` may use `secret` of `owner_namespace`, given the certificate delegations of
    /// `kind`.
    pub fn delegates_certificate(
        &self,
        kind: Kind,
        owner_namespace: &str,
        secret: &str,
        namespace: &str,
    ) -> Lookup<()> {
        if owner_namespace == namespace {
            return Lookup::Found(());
        }
        self.reads(kind);
        let delegated = || self.cluster.delegations.certificates(kind, owner_namespace);
        match delegated().any(|delegated| delegated.delegates_certificate(secret, namespace)) {
            false if delegated().any(|delegated| delegated.is_truncated) => Lookup::Unknown,
            is_lent => self.cluster.answer(kind, owner_namespace, is_lent.then_some(())),
        }
    }
}
