//! What is wrong with a route of the Gateway API by itself, and what is therefore not served: the whole route, the route by
//! one of its references to parents, or some of its rules. Its status and `explain` use the same answer.

use std::collections::BTreeSet;

use super::content;
use crate::cluster::Overlay;
use crate::config::Config;
use crate::field::Segment;
use crate::finding::Finding;
use crate::kinds::{Object, Route};
use crate::message::render_list;

/// The value is not one that this controller supports.
const UNSUPPORTED_VALUE: &str = "UnsupportedValue";
/// Filters of a rule contradict each other.
const INCOMPATIBLE_FILTERS: &str = "IncompatibleFilters";
/// The rules about filters that contradict each other.
const ABOUT_COMBINATIONS: [&str; 3] =
    ["filter/redirect-and-rewrite", "filter/repeated", "http-route/redirect-and-rewrite-apart"];

/// The rules about what the CRDs admit and an implementation serves nevertheless: of two headers whose names differ in case only the
/// first counts, and each reference to a parent is evaluated by itself.
const SERVED: [&str; 2] = ["rule/header-matched-twice", "route/parent-named-twice"];

/// The faults of a route.
#[derive(Debug, Default)]
pub struct RouteFaults {
    /// Faults that affect the whole route.
    whole: Vec<Finding>,
    /// Faults of a reference to a parent, with its index.
    of_parents: Vec<(usize, Finding)>,
    /// Faults of a rule, with its index, in order.
    of_rules: Vec<(usize, Finding)>,
    /// Whether no rule is without a fault.
    affects_every_rule: bool,
}

impl RouteFaults {
    /// The faults of `route`, which `object` is.
    pub fn of(object: &Object<'_>, route: &Route<'_, '_>, cluster: &Overlay<'_>, config: &Config) -> Self {
        let mut faults = Self::default();
        let all = content::faults(object, cluster, config);
        for finding in all.into_iter().filter(|finding| !SERVED.contains(&finding.check)) {
            match finding.at.segments() {
                [_, Segment::Field(list), Segment::Index(index), ..] if list == "rules" => {
                    faults.of_rules.push((*index, finding));
                }
                [_, Segment::Field(list), Segment::Index(index), ..] if list == "parentRefs" => {
                    faults.of_parents.push((*index, finding));
                }
                _ => faults.whole.push(finding),
            }
        }
        faults.of_rules.sort_by(|(_, left), (_, right)| left.at.cmp(&right.at));
        let affected: BTreeSet<usize> = faults.of_rules.iter().map(|(index, _)| *index).collect();
        faults.affects_every_rule = !affected.is_empty() && affected.len() == route.rule_count();
        faults
    }

    /// Why the parent that the references at `indexes` name cannot accept the route: the reason and a message.
    pub fn rejection(&self, indexes: &[usize]) -> Option<(&'static str, String)> {
        let of_parent = self.of_parents.iter().filter(|(index, _)| indexes.contains(index)).map(|(_, finding)| finding);
        let of_rules = self.of_rules.iter().filter(|_| self.affects_every_rule).map(|(_, finding)| finding);
        let all: Vec<&Finding> = self.whole.iter().chain(of_parent).chain(of_rules).collect();
        let first = all.first()?;
        let reason = if ABOUT_COMBINATIONS.contains(&first.check) { INCOMPATIBLE_FILTERS } else { UNSUPPORTED_VALUE };
        Some((reason, render_list(&all)))
    }

    /// Why rule number `rule` is dropped while others are served, if so.
    pub fn dropped(&self, rule: usize) -> Option<String> {
        let of_rule: Vec<&Finding> =
            self.dropped_rules().filter(|(index, _)| *index == rule).map(|(_, fault)| fault).collect();
        (!of_rule.is_empty()).then(|| render_list(&of_rule))
    }

    /// Why some rules are dropped while others are served, if so.
    pub fn partially_invalid(&self) -> Option<(&'static str, String)> {
        let all: Vec<&Finding> = self.dropped_rules().map(|(_, fault)| fault).collect();
        (!all.is_empty()).then(|| (UNSUPPORTED_VALUE, format!("Dropped Rule: {}", render_list(&all))))
    }

    fn dropped_rules(&self) -> impl Iterator<Item = &(usize, Finding)> {
        self.of_rules.iter().filter(|_| !self.affects_every_rule)
    }
}
