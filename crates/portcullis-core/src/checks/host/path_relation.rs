//! Part of `host/path-conflict`: the relation of another Ingress with the same host and path to the Ingress under
//! review, and the message that reports it.

use super::{Rival, are_marked, is_unordered};
use crate::checks::{Context, Operation};
use crate::cluster::{ClosestRelation, IngressFacts, Relation};
use crate::matching::{Claims, Host};

/// The relation of another Ingress with the same host and path to this one, the most serious first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PathRelation {
    /// The same proxy serves it, for another namespace.
    OtherNamespace,
    /// Like `OtherNamespace`, but `hostOwnership` gives the host to the namespace under review.
    Squatter,
    /// It is in another namespace, and it is unknown whether its controller treats the two paths as equal.
    PossiblyEqual,
    /// It is in another namespace, and its class has the same controller, or another load balancer may serve it.
    Related,
    /// It is in the same namespace.
    Neighbor,
}

/// How a message names the class that both Ingresses have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClassLabel {
    /// By its name.
    Named,
    /// By its name, as the default class, because one of the two Ingresses does not name it.
    Default,
    /// They have no class.
    Absent,
}

/// Builds a template with the class in parentheses between `$start` and `$end`. The last `{}` in the parentheses is for
/// additional text.
macro_rules! labeled {
    ($label:expr, $start:literal, $end:literal) => {
        match $label {
            ClassLabel::Named => concat!($start, "(class {}{})", $end),
            ClassLabel::Default => concat!($start, "(default class {}{})", $end),
            ClassLabel::Absent => concat!($start, "(no class{})", $end),
        }
    };
}
pub(super) use labeled;

/// A conflict with another Ingress.
pub(super) struct PathConflict<'c> {
    /// The relation of the other Ingress to this one.
    pub path_relation: PathRelation,
    /// The other Ingress.
    pub other: &'c IngressFacts,
    /// Whether the two share a data plane, and in which class.
    pub nearest: ClosestRelation<'c>,
    /// How the message names their class.
    pub label: ClassLabel,
}

impl<'c> PathConflict<'c> {
    /// The conflict of `other` with the Ingress of these `claims`.
    pub fn new(
        claims: &Claims<'_>,
        path_relation: PathRelation,
        other: &'c IngressFacts,
        nearest: ClosestRelation<'c>,
    ) -> Self {
        let is_default = |class| claims.default_class() == Some(class) || other.default_class() == Some(class);
        let label = match nearest.class {
            Some(class) if is_default(class) => ClassLabel::Default,
            Some(_) => ClassLabel::Named,
            None => ClassLabel::Absent,
        };
        Self { path_relation, other, nearest, label }
    }

    /// The template of the message. Its arguments are the path, the host and the [class](Self::class).
    pub fn template(&self, host: &Host<'_>, cx: &Context<'_>) -> &'static str {
        let (nearest, created) = (self.nearest, self.other.created);
        // If it is only assumed that one load balancer serves the class, the message names the configuration that would
        // say otherwise.
        match self.path_relation {
            PathRelation::Squatter => {
                "path {} on {} is also served by {other}, which does not own the host: ask its owner to remove it"
            }
            PathRelation::PossiblyEqual => {
                labeled!(self.label, "path {} on {} may match the same requests as a path of {other} ", "")
            }
            PathRelation::Related if nearest.is_assumed => labeled!(
                self.label,
                "path {} on {} may also be served by {other} ",
                "; if each has its own load balancer, ask the platform team to set `dataPlanes`"
            ),
            PathRelation::Related => {
                labeled!(self.label, "path {} on {} is also served by {other} ", "; both belong to the same controller")
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
            PathRelation::OtherNamespace | PathRelation::Neighbor => {
                labeled!(self.label, "path {} on {} is already served by {other} ", "")
            }
        }
    }

    /// The arguments for the class: its name, if there is a class, and `beside`, the additional text.
    pub fn class(&self, beside: String) -> impl Iterator<Item = String> {
        self.nearest.class.map(str::to_owned).into_iter().chain([beside])
    }
}

/// The relation of `other` to the Ingress under review. `None` if the two never compete, may share a route, or `other`
/// is at fault.
pub(super) fn path_relation(
    claims: &Claims<'_>,
    other: &IngressFacts,
    relation: Relation,
    rival: impl FnOnce() -> Option<Rival>,
    cx: &Context<'_>,
) -> Option<PathRelation> {
    let is_neighbor = other.object_ref.namespace == cx.namespace();
    if are_marked(claims, other, cx) {
        return None;
    }
    if relation == Relation::Apart || (is_neighbor && relation == Relation::Related) {
        return None;
    }
    match rival()? {
        Rival::Holder if is_neighbor => Some(PathRelation::Neighbor),
        Rival::Holder if relation == Relation::Related => Some(PathRelation::Related),
        Rival::Holder => Some(PathRelation::OtherNamespace),
        Rival::Squatter => Some(PathRelation::Squatter),
    }
}
