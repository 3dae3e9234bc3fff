//! What is judged, with what many checks ask of it: each part is made when the first check asks, and once a review.

use std::cell::OnceCell;

use crate::cluster::Overlay;
use crate::kinds::ingress::Classes;
use crate::kinds::walk::{IngressRouteParts, RouteParts};
use crate::kinds::{KindSet, Object};
use crate::matching::Claims;
use crate::routing::Hosts;
use crate::routing::backend::{self, Destination};
use crate::routing::grant::Referrer;

/// An object, with what many checks ask of it.
#[derive(Debug)]
pub struct ReviewSubjects<'o, 'a, 'c> {
    object: &'o Object<'a>,
    classes: Classes<'o>,
    namespace: &'c str,
    cluster: &'c Overlay<'c>,
    claims: OnceCell<Claims<'o>>,
    parts: OnceCell<RouteParts<'o, 'a>>,
    ingress_route: OnceCell<IngressRouteParts<'o, 'a>>,
    destinations: OnceCell<(Vec<Destination<'o, 'a, 'c>>, KindSet)>,
}

impl<'o, 'a, 'c> ReviewSubjects<'o, 'a, 'c> {
    /// Of `object`, which is in `namespace` of `cluster`.
    pub fn of(object: &'o Object<'a>, namespace: &'c str, cluster: &'c Overlay<'c>) -> Self {
        let classes = match object {
            Object::Ingress(ingress) => ingress.classes(),
            Object::IngressRoute(route) => Classes::of(route.class()),
            Object::HttpProxy(proxy) => Classes::of(proxy.class()),
            _ => Classes::default(),
        };
        let (claims, parts, ingress_route, destinations) = Default::default();
        Self { object, classes, namespace, cluster, claims, parts, ingress_route, destinations }
    }

    /// The object.
    pub fn object(&self) -> &'o Object<'a> {
        self.object
    }

    /// The classes that may serve the object, if it is of a kind that names some.
    pub fn classes(&self) -> Classes<'o> {
        self.classes
    }

    /// The hosts of the object. What takes the rest of the cluster to tell is told to each check anew, so that each is known to have asked.
    pub fn hosts(&self) -> Hosts<'_, 'a> {
        self.claims().map_or(Hosts::Of(self.object), Hosts::Claimed)
    }

    /// The hosts and paths of the object, if it is an Ingress.
    pub fn claims(&self) -> Option<&Claims<'o>> {
        match self.object {
            Object::Ingress(ingress) => Some(self.claims.get_or_init(|| Claims::of_ingress(ingress))),
            _ => None,
        }
    }

    /// The parts of the object, if it is a route of the Gateway API.
    pub fn parts(&self) -> Option<&RouteParts<'o, 'a>> {
        let route = self.object.route()?;
        Some(self.parts.get_or_init(|| RouteParts::of(route)))
    }

    /// The parts of the object, if it is an IngressRoute.
    pub fn ingress_route(&self) -> Option<&IngressRouteParts<'o, 'a>> {
        match self.object {
            Object::IngressRoute(route) => Some(self.ingress_route.get_or_init(|| IngressRouteParts::of(route))),
            _ => None,
        }
    }

    /// Where the backends of the object lead, if it is a route. Each check that is told is noted to have asked.
    pub fn destinations(&self) -> Option<&[Destination<'o, 'a, 'c>]> {
        let parts = self.parts()?;
        let from = Referrer { kind: parts.kind(), namespace: self.namespace };
        let resolve = || backend::destinations(parts.backends(), from, self.cluster);
        let (destinations, asked) = self.destinations.get_or_init(|| self.cluster.asking(resolve));
        self.cluster.note(*asked);
        Some(destinations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Cluster, SyncState};
    use crate::kinds::{Kind, decode};

    #[test]
    fn who_is_told_where_backends_lead_has_asked_each_time() {
        let route = r#"{"metadata": {"name": "a", "namespace": "b"}, "spec": {"rules": [
            {"backendRefs": [{"name": "c", "port": 80}, {"name": "c", "namespace": "d", "port": 80}]}]}}"#;
        let route = decode(Kind::HttpRoute, route).expect("a route");
        let (cluster, object_ref) = (Cluster::with(SyncState::NotSynced), route.object_ref());
        let overlay = Overlay::new(&cluster, &object_ref);
        let shared = ReviewSubjects::of(&route, &object_ref.namespace, &overlay);
        let asked = [(); 2].map(|()| (shared.destinations().map(<[_]>::len), overlay.take_asked()));
        assert_eq!(asked, [(Some(2), KindSet::of(&[Kind::Service, Kind::ReferenceGrant])); 2]);
        assert_eq!(overlay.asking(|| overlay.is_complete(Kind::Ingress)), (false, KindSet::of(&[Kind::Ingress])));
        assert_eq!(overlay.take_asked(), KindSet::of(&[Kind::Ingress]));
    }
}
