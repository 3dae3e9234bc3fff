//! Which of two rules a data plane evaluates first if it does not select by host first.

use super::order_annotations::{LEAST_ASSIGNED, Number, OrderAnnotations, USUAL_ORDER};
use super::rule_order::RuleOrder;
use crate::kinds::ObjectRef;

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
