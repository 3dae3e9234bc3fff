//! The order in which a data plane evaluates two rules if it does not select by host first.

use std::borrow::Cow;

pub use super::order_annotations::{KEYS, Matcher, OrderAnnotations};
use super::order_annotations::{LEAST_ASSIGNED, Number, USUAL_ORDER};
use super::{Depth, Path, PathType, kong_fields, simple_expression};
use crate::kinds::ObjectRef;

/// The order in which a controller evaluates rules of different hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleOrder {
    /// By host: precise hosts before wildcards.
    Host,
    /// By the order of Ingresses in a group, the smallest first, then by namespace and name.
    Group,
    /// By the order of Ingresses of a load balancer, the smallest first, before those without an order.
    Numbered,
    /// By the order of Ingresses of a class, the smallest first. One without an order has the usual one.
    Ranked,
    /// By the priority of listeners, the smallest first. Each has one host and port, and serves all paths of the host.
    Listener,
    /// By path, the longest first, then by the weight of the rule, the greatest first.
    Path,
    /// By priority, the greatest first. It is the length of the rule unless an annotation sets it.
    Priority,
    /// By the number of fields that the rule tests, the greatest first: path, host, methods, headers and names of TLS.
    Fields,
}

/// The properties of a rule that determine its order.
#[derive(Debug, Clone, Copy)]
pub struct OrderedRule<'r> {
    /// The Ingress.
    pub object_ref: &'r ObjectRef,
    /// What its annotations say about its order.
    pub annotations: OrderAnnotations,
    /// The minimum and maximum length that the rule may have in Traefik's language.
    pub length: (usize, usize),
    /// The minimum and maximum place that the rule may have in Skipper.
    pub place: (i64, i64),
    /// Whether it has a host.
    pub has_host: bool,
}

impl OrderedRule<'_> {
    /// Whether it is evaluated before `other` in this `order`; `None` if that is not known.
    pub fn is_before(&self, other: &Self, order: RuleOrder) -> Option<bool> {
        let key = |one: &Self| one.annotations.group_key(one.object_ref);
        let priority = |one: &Self| one.annotations.priority(one.length);
        match order {
            RuleOrder::Host => None,
            RuleOrder::Group => Some(key(self)? < key(other)?),
            RuleOrder::Numbered => match (self.annotations.ingress_order, other.annotations.ingress_order) {
                (Number::Is(own), Number::Is(theirs)) if own != theirs => Some(own < theirs),
                (Number::Is(_), Number::Absent) => Some(true),
                (Number::Absent, Number::Is(_)) => Some(false),
                _ => None,
            },
            // Of two with the same order, the names decide, or the installation.
            RuleOrder::Ranked => {
                let rank = |one: &Self| one.annotations.class_order.or(USUAL_ORDER);
                let (own, theirs) = (rank(self)?, rank(other)?);
                (own != theirs).then_some(own < theirs)
            }
            RuleOrder::Listener => {
                let assigned = |one: &Self| matches!(one.annotations.rule_priority, Number::Absent);
                let number = |one: &Self| one.annotations.rule_priority.or(LEAST_ASSIGNED);
                let (own, theirs) = (number(self)?, number(other)?);
                match (assigned(self), assigned(other)) {
                    (false, false) => (own != theirs).then_some(own < theirs),
                    (true, true) => None,
                    // What the controller assigns is the least number or a greater one.
                    (false, true) => (own < theirs).then_some(true),
                    (true, false) => (theirs < own).then_some(false),
                }
            }
            // Of two with the same place, the host decides.
            RuleOrder::Path if self.place.0 > other.place.1 => Some(true),
            RuleOrder::Path => (self.place.1 <= other.place.0).then_some(false),
            RuleOrder::Priority => match (priority(self)?, priority(other)?) {
                ((least, _), (_, most)) if least > most => Some(true),
                ((_, most), (least, _)) if most < least => Some(false),
                _ => None,
            },
            // Of two with as many fields, the path decides, or the installation.
            RuleOrder::Fields => {
                let least = |one: &Self| one.annotations.kong.least(one.has_host);
                let most = |one: &Self| one.annotations.kong.most(one.has_host);
                (least(self) > most(other)).then_some(true).or((most(self) < least(other)).then_some(false))
            }
        }
    }
}

impl RuleOrder {
    /// Whether a wildcard matches hosts with several labels in front of its suffix.
    pub fn wildcard_depth(self) -> Depth {
        match self {
            Self::Group | Self::Listener | Self::Fields => Depth::AnyLabels,
            Self::Host | Self::Numbered | Self::Ranked | Self::Path | Self::Priority => Depth::OneLabel,
        }
    }

    /// Whether `*` in a path whose class decides matches any characters, and `?` one.
    pub fn has_patterns(self) -> bool {
        matches!(self, Self::Group | Self::Ranked)
    }

    /// The text of a path to compare: Traefik reads a slash at the end of a prefix, which the canonical form has not.
    pub fn text<'p>(self, path: &'p Path<'_>, written: &'p str) -> &'p str {
        match (self, path.kind) {
            (Self::Priority, PathType::Prefix) if !written.is_empty() => written,
            _ => &path.text,
        }
    }

    /// The requests that a path matches in a data plane with this order, as a path that other paths can be compared with;
    /// `None` for a pattern that is not compared. A listener receives the requests for all paths. In an ALB a path whose class
    /// decides is a pattern with `*` and `?`. Traefik compares the characters of a prefix, not its elements. In Kong such a path
    /// is a pattern if it begins with `/~`.
    pub fn comparable(self, kind: PathType, text: &str) -> Option<Path<'_>> {
        if self == Self::Listener {
            return Some(Path { kind: PathType::Prefix, text: Cow::Borrowed("/") });
        }
        if self == Self::Priority && kind == PathType::Prefix {
            return Some(Path { kind: PathType::ImplementationSpecific, text: Cow::Borrowed(text) });
        }
        let is_specific = kind == PathType::ImplementationSpecific;
        if let Some((_, beginning)) = kong_fields::expression(text).filter(|_| self == Self::Fields && is_specific) {
            return beginning.map(|beginning| Path { kind, text: Cow::Borrowed(beginning) });
        }
        if !self.has_patterns() || !is_specific {
            return Some(Path { kind, text: Cow::Borrowed(text) });
        }
        // A `*` at the end matches any characters, not only whole elements.
        let (kind, text) = match text.strip_suffix('*') {
            Some(beginning) => (PathType::ImplementationSpecific, beginning),
            None => (PathType::Exact, text),
        };
        (!text.contains(['*', '?'])).then_some(Path { kind, text: Cow::Borrowed(text) })
    }

    /// A path that matches every request of one that is not [comparable](Self::comparable).
    pub fn bound(self, text: &str) -> Path<'_> {
        let beginning = match (self, kong_fields::expression(text)) {
            (Self::Fields, Some((expression, _))) => simple_expression::beginning(expression),
            _ => text.split(['*', '?']).next().unwrap_or_default(),
        };
        Path { kind: PathType::ImplementationSpecific, text: Cow::Borrowed(beginning) }
    }
}
