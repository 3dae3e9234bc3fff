//! The other Ingresses that may compete with the one under review for a host and a path.

use std::cell::RefCell;

use hashbrown::HashMap;

use crate::checks::Context;
use crate::cluster::{ClosestRelation, IngressClaim, IngressFacts, PlaneInputs, PlaneKey};
use crate::matching::path_interpretation::NotatedPath;
use crate::matching::{Claims, Host, Readers};

/// Finds the claims of other Ingresses in the data planes that may serve the one under review.
pub(in crate::checks) struct IngressRivals<'r, 'c> {
    claims: &'r Claims<'r>,
    cx: &'r Context<'c>,
    planes: Vec<PlaneKey<'r>>,
    /// How each Ingress that was looked at relates to the one under review.
    known: RefCell<HashMap<*const IngressFacts, ClosestRelation<'c>>>,
}

impl<'r, 'c> IngressRivals<'r, 'c> {
    /// The rivals of the Ingress with these claims.
    pub fn new(claims: &'r Claims<'r>, cx: &'r Context<'c>) -> Self {
        let planes = cx.data_planes.rival_planes(claims.classes.iter(), claims.hints(), cx.cluster);
        Self { claims, cx, planes, known: RefCell::default() }
    }

    /// The claims of other Ingresses to exactly this host and a path that some controller treats as equal to `path`. One
    /// that is found under several keys is returned more than once.
    pub fn at(&self, host: &Host<'_>, path: NotatedPath<'_>) -> impl Iterator<Item = IngressClaim<'c>> {
        let hints = self.claims.hints();
        self.planes.iter().flat_map(move |plane| self.cx.cluster.ingress_claims(*plane, host, path, hints))
    }

    /// The other Ingresses of the namespace under review that send requests to `service`, a name with a port, except
    /// canaries.
    pub fn with_service(&self, service: &str) -> impl Iterator<Item = &'c IngressFacts> {
        self.planes.iter().flat_map(move |plane| self.cx.cluster.ingresses_with_service(*plane, service))
    }

    /// How `other` relates to the Ingress under review.
    pub fn nearest(&self, other: &'c IngressFacts) -> ClosestRelation<'c> {
        let mut known = self.known.borrow_mut();
        *known.entry(other).or_insert_with_key(|_| {
            self.cx.data_planes.nearest(self.claims, other, self.cx.cluster, self.cx.expressions)
        })
    }

    /// The controllers that may serve both.
    pub fn controller(&self, other: &IngressFacts, nearest: ClosestRelation<'_>) -> Readers {
        let served = PlaneInputs { class: nearest.class, hints: other.hints.as_deref() };
        self.cx.data_planes.controller(self.claims, served, self.cx.cluster)
    }
}
