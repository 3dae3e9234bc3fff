//! The rule that answers in a data plane that does not select the host first.

use std::collections::BTreeMap;

use super::super::answer::Loser;
use super::super::ingress_rules::HostRule;
use super::super::ingress_source::Source;
use super::super::request::Request;
use super::super::route_resolver::Detail;
use super::super::selection;
use super::Ingresses;
use crate::field::FieldPath;
use crate::kinds::ObjectRef;
use crate::matching::order_annotations::Matcher;
use crate::matching::ordered_rule::OrderedRule;
use crate::matching::route::path_of;
use crate::matching::rule_order::RuleOrder;
use crate::matching::{Host, PathType};

impl<'w> Ingresses<'w> {
    /// The rules of other Ingresses among `own`, which have the host of `rule`, that are evaluated before it because of
    /// the order of their Ingresses. Of each Ingress the rule that answers is returned.
    pub(super) fn earlier(&self, rule: usize, own: &[usize], request: &Request) -> Vec<usize> {
        let source = |rule: usize| self.rules[rule].source;
        let order = self.sources[source(rule)].order;
        if matches!(order, RuleOrder::Host | RuleOrder::Listener | RuleOrder::Path) {
            return Vec::new();
        }
        // Each rule has a place of its own.
        if matches!(order, RuleOrder::Priority | RuleOrder::Fields) {
            return own.iter().copied().filter(|other| *other != rule).collect();
        }
        let is_before = |other: &usize| {
            self.ordered_rule(*other)
                .zip(self.ordered_rule(rule))
                .and_then(|(one, second)| one.is_before(&second, order))
                == Some(true)
        };
        let earlier = own.iter().copied().filter(|other| self.rules[*other].backend.is_some()).filter(is_before);
        let mut by_source: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        earlier.for_each(|other| by_source.entry(source(other)).or_default().push(other));
        let answering = by_source.into_values().filter_map(|rules| {
            let all = rules.iter().map(|rule| self.ranked_candidate(*rule)).collect();
            let winner = selection::select(all, request, Detail::OnlyAnswers).winner?;
            rules.into_iter().find(|rule| std::ptr::eq(&self.rules[*rule].candidate, winner.rule))
        });
        answering.collect()
    }

    /// The rule that answers, in the order in which the data plane evaluates rules: `rule`, which has the most specific
    /// host, or one of the `others`, which have wider hosts or are evaluated earlier. The reasons of `losers` are updated to that
    /// order.
    pub(super) fn apply_rule_order(
        &self,
        rule: usize,
        others: impl Iterator<Item = usize>,
        request: &Request,
        losers: &mut Vec<Loser>,
    ) -> usize {
        let (first, others) = self.first(rule, others, request);
        if first != rule {
            let candidate = &self.rules[first].candidate;
            let (object, field) = (candidate.object, FieldPath::from(candidate.field));
            let is_listed = |loser: &Loser| {
                let is = |other: &ObjectRef, at: &FieldPath| loser.object == *other && loser.field == *at;
                is(object, &field) || others.iter().any(|other| is(&other.object, &other.field))
            };
            losers.retain(|loser| !is_listed(loser));
        }
        losers.extend(others);
        first
    }

    /// For a data plane that does not select the host first: which of `rule` and the matching rules among `others` is evaluated
    /// first, and the losers among them.
    fn first(&self, rule: usize, others: impl Iterator<Item = usize>, request: &Request) -> (usize, Vec<Loser>) {
        let (mut first, mut losers) = (rule, Vec::new());
        let accepts = |source: &Source<'_>| {
            let (annotations, has_tls) = (source.order_annotations, !source.ingress.spec.tls.is_empty());
            let [plain, secure] = annotations.listener.accepts(has_tls);
            match source.order {
                RuleOrder::Listener if request.is_secure => secure,
                RuleOrder::Listener => plain,
                // Whether a request meets further predicates is not known.
                RuleOrder::Path => !annotations.skipper.narrow,
                _ => true,
            }
        };
        let matches = |rule: &usize| {
            let rule = &self.rules[*rule];
            let is_reached = rule.alias.is_none() && accepts(&self.sources[rule.source]);
            rule.backend.is_some() && is_reached && rule.candidate.matches(request)
        };
        for other in others.filter(matches) {
            match self.ordered_rule(other).zip(self.ordered_rule(first)).map(|(one, second)| {
                (one.is_before(&second, self.sources[self.rules[other].source].order), self.rules[first].host.clone())
            }) {
                Some((Some(true), _)) => {
                    let reason = format!("the rule for {} is evaluated first", self.rules[other].host);
                    losers.push(self.lost(first, reason));
                    first = other;
                }
                Some((None, host)) if self.has_unknown_order(other) => {
                    losers.push(
                        self.lost(other, format!("whether it is evaluated before the rule for {host} is not known")),
                    );
                }
                _ => {}
            }
        }
        (first, losers)
    }

    /// Whether it is not known when the data plane evaluates a rule that nothing orders.
    fn has_unknown_order(&self, rule: usize) -> bool {
        let selects_host = [RuleOrder::Host, RuleOrder::Listener, RuleOrder::Path, RuleOrder::Fields];
        !selects_host.contains(&self.sources[self.rules[rule].source].order)
    }

    /// Why it is not known whether the `chosen` rule answers: another one among `own` matches the request, too, and `is_open` says that it
    /// answers otherwise and that nothing orders the two.
    pub(super) fn unordered(
        &self,
        chosen: usize,
        own: &[usize],
        request: &Request,
        is_open: impl Fn(usize) -> bool,
    ) -> Option<String> {
        let is_rival = |other: &usize| {
            let rule = &self.rules[*other];
            *other != chosen && rule.backend.is_some() && rule.candidate.matches(request)
        };
        let other = own.iter().copied().filter(is_rival).find(|other| is_open(*other))?;
        let candidate = &self.rules[other].candidate;
        let (object, at) = (candidate.object, FieldPath::from(candidate.field));
        Some(format!("{at} of {object} matches, too: which one answers is not known"))
    }

    /// Whether two rules have different backends.
    pub(super) fn has_other_backend(&self, one: usize, other: usize) -> bool {
        let backend = |rule: usize| (&self.rules[rule].candidate.object.namespace, self.rules[rule].backend);
        backend(one) != backend(other)
    }

    /// Whether two rules have the same path but for a slash or `*` at its end.
    pub(super) fn has_same_path(&self, one: usize, other: usize) -> bool {
        let text = |rule: usize| self.rules[rule].candidate.spelling.trim_end_matches(['/', '*']);
        text(one) == text(other)
    }

    /// The properties of a rule that decide the order of evaluation.
    pub(super) fn ordered_rule(&self, rule: usize) -> Option<OrderedRule<'w>> {
        let HostRule { source, host, candidate, .. } = &self.rules[rule];
        let Source { object_ref, ingress, order_annotations, .. } = &self.sources[*source];
        let [index, position] = candidate.position;
        let written = ingress.spec.rules.get(index)?.paths().get(position)?;
        let text = written.path.as_deref().unwrap_or_default();
        let newest = match host {
            // Traefik 3.7 writes it as it is.
            Host::Wildcard(suffix) => &Host::Precise(format!("*.{suffix}").into()),
            host => host,
        };
        let (path, annotations) = (path_of(written)?, *order_annotations);
        if path.kind == PathType::ImplementationSpecific && annotations.matcher == Matcher::Other {
            return None;
        }
        let length = annotations.length(newest, &path, Some(text));
        let place = annotations.skipper.place(&path, *host != Host::Any);
        Some(OrderedRule { object_ref, annotations, length, place, has_host: *host != Host::Any })
    }
}
