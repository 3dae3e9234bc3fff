//! The other Ingresses that a check meets under several hosts. What it asks of each is computed once.

use std::cell::OnceCell;
use std::rc::Rc;

use hashbrown::HashMap;

use crate::checks::Context;
use crate::cluster::{ClosestRelation, IngressFacts, RouteFacts};
use crate::matching::{Claims, Host, Mark};

/// Another Ingress.
#[derive(Debug)]
pub(super) struct OtherIngress<'c> {
    pub facts: &'c IngressFacts,
    nearest: OnceCell<ClosestRelation<'c>>,
    /// Ordered by host, and otherwise as in the Ingress.
    routes: OnceCell<Vec<&'c RouteFacts>>,
}

impl<'c> OtherIngress<'c> {
    /// How it relates to the Ingress of these `claims`.
    pub fn nearest(&self, claims: &Claims<'_>, cx: &Context<'_>) -> ClosestRelation<'c> {
        *self.nearest.get_or_init(|| cx.data_planes.nearest(claims, self.facts, cx.cluster, cx.expressions))
    }

    /// Its routes of exactly this host.
    pub fn routes_of(&self, host: &Host<'_>) -> &[&'c RouteFacts] {
        let routes = self.routes.get_or_init(|| {
            let mut routes: Vec<_> = self.facts.routes.iter().collect();
            routes.sort_by_key(|route| (route.form, &*route.host));
            routes
        });
        let first = routes.partition_point(|route| (route.form, &*route.host) < host.parts());
        let number = routes[first..].partition_point(|route| (route.form, &*route.host) == host.parts());
        &routes[first..first + number]
    }
}

/// The other Ingresses that a check has met.
#[derive(Debug, Default)]
pub(super) struct OtherIngresses<'c>(HashMap<*const IngressFacts, Rc<OtherIngress<'c>>>);

impl<'c> OtherIngresses<'c> {
    /// The Ingress with these facts.
    pub fn of(&mut self, facts: &'c IngressFacts) -> Rc<OtherIngress<'c>> {
        let new = || Rc::new(OtherIngress { facts, nearest: OnceCell::new(), routes: OnceCell::new() });
        Rc::clone(self.0.entry(std::ptr::from_ref(facts)).or_insert_with(new))
    }
}

/// Whether `other` is in another namespace, and neither Ingress is an ACME solver, which only exists for a short time.
pub(super) fn may_be_taken_from(claims: &Claims<'_>, other: &IngressFacts, cx: &Context<'_>) -> bool {
    other.object_ref.namespace != cx.namespace()
        && [claims.mark, other.mark].iter().all(|mark| *mark != Mark::AcmeSolver)
}
