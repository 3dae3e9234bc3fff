//! What Traefik does with requests for Ingresses that the API does not specify.

use super::super::answer::Winner;
use super::super::candidate::Candidate;
use super::super::outcome::Reply;
use super::super::request::Request;
use super::Ingresses;
use crate::field::FieldPath;
use crate::matching::rule_order::RuleOrder;

impl Ingresses<'_> {
    /// Makes the answer of the `chosen` rule unknown if another one among `own` has the same priority, and another backend.
    pub(super) fn apply_traefik(&self, winner: &mut Winner, chosen: usize, own: &[usize], request: &Request) {
        let backend = |rule: usize| (&self.rules[rule].candidate.object.namespace, self.rules[rule].backend);
        let is_tied = |other: &usize| {
            let has_same_place = || {
                let both = self.ordered_rule(*other).zip(self.ordered_rule(chosen));
                both.is_some_and(|(one, second)| one.is_before(&second, RuleOrder::Priority).is_none())
            };
            *other != chosen
                && self.rules[*other].backend.is_some()
                && backend(*other) != backend(chosen)
                && self.rules[*other].candidate.matches(request)
                && has_same_place()
        };
        if let Some(other) = own.iter().copied().find(|other| is_tied(other)) {
            let Candidate { object, field, .. } = &self.rules[other].candidate;
            let at = FieldPath::from(*field);
            let why = format!("{at} of {object} has the same priority: which one answers is not known");
            winner.outcome.reply = Reply::Unknown(why);
        }
    }
}
