//! What Contour does with requests for Ingresses that the API does not specify.

use super::super::answer::Winner;
use super::super::backends;
use super::super::ingress_rules::HostRule;
use super::super::outcome::Reply;
use super::super::request::Request;
use super::super::route_action;
use super::Ingresses;
use crate::matching::annotation_effect::Effect;
use crate::matching::{PathTest, PathType};
use crate::routing::controllers;

/// Why a rule is not served.
pub(super) const MISSING: &str = "its Service or the port does not exist: the controller drops the path";

impl Ingresses<'_> {
    /// The rules that are served, and those that Contour and Traefik drop because their Service or its port is missing. A host without
    /// other rules is not served.
    pub(super) fn split_served(&self, ranks: &[Vec<usize>; 3]) -> ([Vec<usize>; 3], Vec<usize>) {
        let may_answer = |rule: &usize| {
            let HostRule { candidate, backend, .. } = &self.rules[*rule];
            backend.is_none_or(|backend| {
                let (backends, _) = backends::of_ingress(backend, candidate.object, &self.cluster);
                backends.iter().any(|backend| backend.may_answer)
            })
        };
        let mut dropped = Vec::new();
        let served = ranks.each_ref().map(|rules| {
            let (served, other): (Vec<usize>, Vec<usize>) = rules.iter().copied().partition(may_answer);
            dropped.extend(other);
            served
        });
        (served, dropped)
    }

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
        // A `Prefix` precedes an `ImplementationSpecific` path with the same text, but for `/`, which is the same for both.
        let is_text = |path: &PathTest<'_>| match path {
            PathTest::Path(path) if path.kind == PathType::Prefix && path.text == "/" => None,
            PathTest::Begins(beginning) if beginning == "/" => None,
            path => Some(matches!(path, PathTest::Begins(_))),
        };
        let is_same = |other: &&usize| {
            let other = &self.rules[**other].candidate;
            let is_same_type = is_text(&other.path) == is_text(&candidate.path);
            is_same_type && !std::ptr::eq(other, candidate) && other.path.to_string() == candidate.path.to_string()
        };
        if let Some(other) = own.iter().find(is_same) {
            let other = self.rules[*other].candidate.object;
            let why = format!("{other} has the same path: which one answers changes when Contour restarts");
            winner.outcome.reply = Reply::Unknown(why);
        }
    }
}
