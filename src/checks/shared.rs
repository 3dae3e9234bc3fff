//! What is judged, with what many checks ask of it: each part is made when the first check asks, and once a review.

use std::cell::OnceCell;

use crate::cluster::Overlay;
use crate::kinds::walk::RouteParts;
use crate::kinds::{KindSet, Object};
use crate::matching::Claims;
use crate::routing::Hosts;
use crate::routing::backend::{self, Destination};
use crate::routing::grant::Referrer;

/// An object, with what many checks ask of it.
#[derive(Debug)]
pub struct Shared<'o, 'a, 'c> {
    object: &'o Object<'a>,
    namespace: &'c str,
    cluster: &'c Overlay<'c>,
    claims: OnceCell<Claims<'o>>,
    parts: OnceCell<RouteParts<'o, 'a>>,
    destinations: OnceCell<(Vec<Destination<'o, 'a, 'c>>, KindSet)>,
}

impl<'o, 'a, 'c> Shared<'o, 'a, 'c> {
    /// Of `object`, which is in `namespace` of `cluster`.
    pub fn of(object: &'o Object<'a>, namespace: &'c str, cluster: &'c Overlay<'c>) -> Self {
        let (claims, parts, destinations) = Default::default();
        Self { object, namespace, cluster, claims, parts, destinations }
    }

    /// The object.
    pub fn object(&self) -> &'o Object<'a> {
        self.object
    }

    /// The class of the object, if it is an Ingress.
    pub fn class(&self) -> Option<&'o str> {
        match self.object {
            Object::Ingress(ingress) => ingress.class(),
            _ => None,
        }
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
