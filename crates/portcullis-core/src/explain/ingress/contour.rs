//! What Contour does with requests for Ingresses otherwise than the API specifies.

use super::super::answer::Winner;
use super::super::ingress_rules::HostRule;
use super::super::outcome::Reply;
use super::super::request::Request;
use super::super::route_action;
use super::Ingresses;
use crate::matching::annotation_effect::Effect;
use crate::routing::controllers;

impl Ingresses<'_> {
    /// Changes the answer of the `chosen` rule among `own` into that of Contour.
    pub(super) fn apply_contour(&self, winner: &mut Winner, chosen: usize, own: &[usize], request: &Request) {
        let HostRule { source, candidate, .. } = &self.rules[chosen];
        let source = &self.sources[*source];
        let class = std::iter::once(source.served_by.or(source.class));
        let https_only = controllers::effect_in(Effect::HttpsOnly, source.ingress, class, &self.cluster);
        if !request.is_secure && https_only.is_some() {
            winner.outcome.reply = route_action::secured(request).0;
            return;
        }
        let is_same = |other: &&usize| {
            let other = &self.rules[**other].candidate;
            !std::ptr::eq(other, candidate) && other.path.to_string() == candidate.path.to_string()
        };
        if let Some(other) = own.iter().find(is_same) {
            let other = self.rules[*other].candidate.object;
            let why = format!("{other} has the same path: which one answers changes when Contour restarts");
            winner.outcome.reply = Reply::Unknown(why);
        }
    }
}
