//! What checks examine: the object under review with the derived values that several checks need, or what cannot be decoded. Each
//! value is computed at most once per review: what concerns the object alone before the view is locked, the rest on first use.

use std::cell::OnceCell;

use crate::cluster::Overlay;
use crate::kinds::ingress::Classes;
use crate::kinds::schema::ManifestErrors;
use crate::kinds::walk::{IngressRouteParts, RouteParts, SecretUses};
use crate::kinds::{KindSet, Object, Partial};
use crate::matching::Claims;
use crate::routing::Hosts;
use crate::routing::backend::{self, Destination};
use crate::routing::grant::Referrer;

/// What a check examines.
#[derive(Debug)]
pub enum Input<'o, 'a, 'c> {
    /// A decoded object.
    Object(ReviewSubjects<'o, 'a, 'c>),
    /// What an API server would reject in a manifest as written, and the classes of the object.
    Manifest(&'o ManifestErrors, Classes<'o>),
    /// The fields of an object that could not be decoded.
    Unreadable(&'o Partial<'a>),
}

impl<'o> Input<'o, '_, '_> {
    /// The classes that may serve the object, as far as they are known.
    pub fn classes(&self) -> Classes<'o> {
        match self {
            Self::Object(subjects) => subjects.classes(),
            Self::Manifest(_, classes) => *classes,
            Self::Unreadable(partial) => partial.classes(),
        }
    }

    /// The object before the update, if the checks that compare both run.
    pub fn old(&self) -> Option<&Object<'_>> {
        match self {
            Self::Object(subjects) => subjects.object_parts.old,
            Self::Manifest(..) | Self::Unreadable(_) => None,
        }
    }
}

/// What several checks need of the object alone, which stays valid while the view changes.
#[derive(Debug)]
pub struct ObjectParts<'o, 'a> {
    object: &'o Object<'a>,
    old: Option<&'o Object<'a>>,
    classes: Classes<'o>,
    claims: OnceCell<Claims<'o>>,
    parts: OnceCell<RouteParts<'o, 'a>>,
    ingress_route: OnceCell<IngressRouteParts<'o, 'a>>,
}

impl<'o, 'a> ObjectParts<'o, 'a> {
    /// For `object`; nothing is computed yet.
    pub fn of(object: &'o Object<'a>) -> Self {
        let (claims, parts, ingress_route) = Default::default();
        Self { object, old: None, classes: object.classes(), claims, parts, ingress_route }
    }

    /// For the checks that compare `object` with `old`.
    pub fn of_change(object: &'o Object<'a>, old: &'o Object<'a>) -> Self {
        Self { old: Some(old), ..Self::of(object) }
    }

    /// Computes everything before the view is held.
    pub fn compute(&self) {
        let _ = (self.claims(), self.parts(), self.ingress_route());
    }

    fn claims(&self) -> Option<&Claims<'o>> {
        match self.object {
            Object::Ingress(ingress) => Some(self.claims.get_or_init(|| Claims::of_ingress(ingress))),
            _ => None,
        }
    }

    fn parts(&self) -> Option<&RouteParts<'o, 'a>> {
        let route = self.object.route()?;
        Some(self.parts.get_or_init(|| RouteParts::of(route)))
    }

    fn ingress_route(&self) -> Option<&IngressRouteParts<'o, 'a>> {
        match self.object {
            Object::IngressRoute(route) => Some(self.ingress_route.get_or_init(|| IngressRouteParts::of(route))),
            _ => None,
        }
    }
}

/// The object under review, with the derived values that several checks need.
#[derive(Debug)]
pub struct ReviewSubjects<'o, 'a, 'c> {
    object_parts: &'o ObjectParts<'o, 'a>,
    namespace: &'c str,
    cluster: &'c Overlay<'c>,
    destinations: OnceCell<(Vec<Destination<'o, 'a, 'c>>, KindSet)>,
    secret_uses: OnceCell<Option<SecretUses<'o, 'a>>>,
}

impl<'o, 'a, 'c> ReviewSubjects<'o, 'a, 'c> {
    /// For the object in `namespace`; `cluster` resolves its references.
    pub fn of(object_parts: &'o ObjectParts<'o, 'a>, namespace: &'c str, cluster: &'c Overlay<'c>) -> Self {
        let (destinations, secret_uses) = Default::default();
        Self { object_parts, namespace, cluster, destinations, secret_uses }
    }

    /// The object.
    pub fn object(&self) -> &'o Object<'a> {
        self.object_parts.object
    }

    /// The classes that may serve the object, if its kind has classes.
    pub fn classes(&self) -> Classes<'o> {
        self.object_parts.classes
    }

    /// The hosts of the object. Hosts that depend on the rest of the cluster are derived for each check, so that each
    /// check records the kinds it read.
    pub fn hosts(&self) -> Hosts<'_, 'a> {
        self.claims().map_or(Hosts::OfObject(self.object()), Hosts::OfIngress)
    }

    /// The hosts and paths of the object, if it is an Ingress.
    pub fn claims(&self) -> Option<&'o Claims<'o>> {
        self.object_parts.claims()
    }

    /// The parts of the object, if it is a route of the Gateway API.
    pub fn parts(&self) -> Option<&'o RouteParts<'o, 'a>> {
        self.object_parts.parts()
    }

    /// The parts of the object, if it is an IngressRoute.
    pub fn ingress_route(&self) -> Option<&'o IngressRouteParts<'o, 'a>> {
        self.object_parts.ingress_route()
    }

    /// The Secrets from which the object serves hosts over TLS, if it is of a kind that does.
    pub fn secret_uses(&self) -> Option<&SecretUses<'o, 'a>> {
        self.secret_uses.get_or_init(|| SecretUses::of(self.object())).as_ref()
    }

    /// Where the backends of the object lead, if it is a route. Every call records the kinds that were read to resolve
    /// them.
    pub fn destinations(&self) -> Option<&[Destination<'o, 'a, 'c>]> {
        let parts = self.parts()?;
        let from = Referrer { kind: parts.kind(), namespace: self.namespace };
        let resolve = || backend::destinations(parts.backends(), from, self.cluster);
        let (destinations, read) = self.destinations.get_or_init(|| self.cluster.dependencies_of(resolve));
        self.cluster.record(*read);
        Some(destinations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Cluster, SyncState, Trace};
    use crate::kinds::{Kind, decode};

    #[test]
    fn each_use_of_the_destinations_records_the_kinds_behind_them() {
        let route = r#"{"metadata": {"name": "a", "namespace": "b"}, "spec": {"rules": [
            {"backendRefs": [{"name": "c", "port": 80}, {"name": "c", "namespace": "d", "port": 80}]}]}}"#;
        let route = decode(Kind::HttpRoute, route).expect("a route");
        let (cluster, object_ref) = (Cluster::with(SyncState::NotSynced), route.object_ref());
        let trace = Trace::default();
        let overlay = Overlay::new(&cluster, &object_ref).traced(&trace);
        let object_parts = ObjectParts::of(&route);
        let subjects = ReviewSubjects::of(&object_parts, &object_ref.namespace, &overlay);
        let read = [(); 2].map(|()| (subjects.destinations().map(<[_]>::len), trace.dependencies.take()));
        assert_eq!(read, [(Some(2), KindSet::of(&[Kind::Service, Kind::ReferenceGrant])); 2]);
    }
}
