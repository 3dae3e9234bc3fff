//! What another Ingress with the same host and path is to the Ingress under review, and the message that names it: a part of
//! `host/path-conflict`.

use super::{Rival, is_unordered};
use crate::checks::{Context, Operation};
use crate::cluster::{IngressFacts, Nearest, Relation};
use crate::matching::{Claims, Host, Mark};

/// What another Ingress with the same host and path is to this one, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Twin {
    /// It is served by the same proxy for another namespace.
    Stranger,
    /// The same, but host ownership gives the host to this namespace.
    Squatter,
    /// It is another namespace's, and nothing tells whether its controller reads the two paths alike.
    Alike,
    /// It is another namespace's, and its class has the same controller, or maybe another load balancer serves it.
    Related,
    /// It is of the same namespace.
    Neighbor,
}

/// How the class in which two Ingresses meet is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    /// By its name.
    Named,
    /// By its name, which one of the two does not write: it gets it as the default.
    Default,
    /// They have none.
    Absent,
}

/// A template with the class between its two parts, and what is said beside it.
macro_rules! labeled {
    ($label:expr, $start:literal, $end:literal) => {
        match $label {
            Label::Named => concat!($start, "(class {}{})", $end),
            Label::Default => concat!($start, "(default class {}{})", $end),
            Label::Absent => concat!($start, "(no class{})", $end),
        }
    };
}
pub(super) use labeled;

/// Another Ingress in the way.
pub(super) struct Conflict<'c> {
    /// What it is to this one.
    pub twin: Twin,
    /// The Ingress.
    pub other: &'c IngressFacts,
    /// How near the two are.
    pub nearest: Nearest<'c>,
    /// How the class in which they meet is called.
    pub label: Label,
}

impl<'c> Conflict<'c> {
    /// That of `other` with an Ingress of these `claims`.
    pub fn new(claims: &Claims<'_>, twin: Twin, other: &'c IngressFacts, nearest: Nearest<'c>) -> Self {
        let is_default = |class| claims.default_class() == Some(class) || other.default_class() == Some(class);
        let label = match nearest.class {
            Some(class) if is_default(class) => Label::Default,
            Some(_) => Label::Named,
            None => Label::Absent,
        };
        Self { twin, other, nearest, label }
    }

    /// The sentence: about a path, its host, the other Ingress and its [class](Self::class).
    pub fn template(&self, host: &Host<'_>, cx: &Context<'_>) -> &'static str {
        let (nearest, created) = (self.nearest, self.other.created);
        // Two load balancers may serve the class; the reader learns who can say so.
        match self.twin {
            Twin::Squatter => "{other} also serves path {} on {}, a host that it does not own",
            Twin::Alike => {
                labeled!(self.label, "path {} on {} may match the same requests as a path of {other} ", "")
            }
            Twin::Related if nearest.is_assumed => labeled!(
                self.label,
                "path {} on {} may also be served by {other} ",
                "; if each has its own load balancer, ask the platform team to set `dataPlanes`"
            ),
            Twin::Related => {
                labeled!(self.label, "path {} on {} is also served by {other} ", ", of the same controller")
            }
            _ if nearest.is_assumed && is_unordered(host, created, cx) => labeled!(
                self.label,
                "path {} on {} is also served by {other} ",
                "; if each has its own load balancer, ask the platform team to set `dataPlanes`, else remove it from one of the two"
            ),
            _ if is_unordered(host, created, cx) => {
                labeled!(self.label, "path {} on {} is also served by {other} ", "; remove it from one of the two")
            }
            _ if cx.operation == Operation::Stored && nearest.is_assumed => labeled!(
                self.label,
                "path {} on {} is also served by {other} ",
                "; if each has its own load balancer, ask the platform team to set `dataPlanes`"
            ),
            _ if cx.operation == Operation::Stored => {
                labeled!(self.label, "path {} on {} is also served by {other} ", "")
            }
            _ if nearest.is_assumed => labeled!(
                self.label,
                "path {} on {} is already served by {other} ",
                "; if each has its own load balancer, ask the platform team to set `dataPlanes`"
            ),
            Twin::Stranger | Twin::Neighbor => {
                labeled!(self.label, "path {} on {} is already served by {other} ", "")
            }
        }
    }

    /// The class in which the two meet, if any, and what is said `beside` it.
    pub fn class(&self, beside: String) -> impl Iterator<Item = String> {
        self.nearest.class.map(str::to_owned).into_iter().chain([beside])
    }
}

/// What `other` is to the Ingress under review, of which it is a `rival`; none where they never compete, may share a route, or the fault is
/// the other's.
pub(super) fn twin(
    claims: &Claims<'_>,
    other: &IngressFacts,
    relation: Relation,
    rival: impl FnOnce() -> Option<Rival>,
    cx: &Context<'_>,
) -> Option<Twin> {
    let is_neighbor = other.object_ref.namespace == cx.namespace();
    if is_neighbor && (claims.mark != Mark::None || other.mark != Mark::None) {
        return None;
    }
    if relation == Relation::Apart || (is_neighbor && relation == Relation::Related) {
        return None;
    }
    match rival()? {
        Rival::Holder if is_neighbor => Some(Twin::Neighbor),
        Rival::Holder if relation == Relation::Related => Some(Twin::Related),
        Rival::Holder => Some(Twin::Stranger),
        Rival::Squatter => Some(Twin::Squatter),
    }
}
