//! `host/wildcard-takes-host`

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::host_walk::walk;
use super::other_ingress::{OtherIngress, OtherIngresses};
use super::own_rules::{Order, OwnRules, rule_order};
use super::passthrough::Passthrough;
use super::{Rival, age, is_squatter, rival_by_ownership};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::ownership::{Owner, OwnershipDecision};
use crate::cluster::{HostBelow, Reach, Relation};
use crate::finding::Findings;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::claimed_host::CONNECTIONS;
use crate::matching::rule_order::RuleOrder;
use crate::matching::{Claims, DataPlaneHints, Host, Mark, Route};

pub static CHECK: Check = Check {
    id: "host/wildcard-takes-host",
    needs: &[Kind::Ingress, Kind::IngressClass],
    page: include_str!("wildcard_takes_host.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::DENY)
};

/// What happens to requests for a precise host, the most serious case first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum WildcardEffect {
    /// A rule of the wildcard may be evaluated before the rules of the precise host.
    Precedes,
    /// `hostOwnership` gives the host to other namespaces than that of the wildcard.
    TakesFromOwner,
    /// The wildcard serves the requests that the rules of the precise host do not match.
    CoversRest,
    /// Like `CoversRest`, but `hostOwnership` gives the host to the namespace of the wildcard.
    CoversSquatter,
}

/// A precise host of another object, and what happens to requests for it, the most serious one first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Taken<'c> {
    effect: WildcardEffect,
    /// Whether the wildcard was there before the other object.
    is_older: bool,
    /// Whether it takes the connections because of an annotation that passes them through.
    passes: bool,
    name: &'c str,
    other: &'c ObjectRef,
}

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let (mut others, rules) = (OtherIngresses::default(), OnceCell::new());
    let order = rule_order(claims, cx);
    // Conditions may tell the requests of two teams apart, but not who owns a host.
    let is_narrowed = match order {
        RuleOrder::Fields => !cx.ownership.is_first_namespace(),
        // That the controller looks up the path first is only known by its name.
        RuleOrder::Path => {
            let annotations = DataPlaneHints::order(claims.hints());
            annotations.setting(order).is_none() || (annotations.skipper.narrow && !cx.ownership.is_first_namespace())
        }
        _ => false,
    };
    let passthrough = Passthrough::of(claims, cx);
    // Otherwise, every effect is the same.
    let may_be_serious = order != RuleOrder::Host || passthrough.is_some() || !cx.ownership.is_empty(cx.cluster);
    let created = claims.ingress.metadata.created();
    // One finding for all paths of a host, so that splitting or reordering rules adds no findings.
    let routes: Vec<&Route<'_>> = claims.first_by_host().iter().map(|position| &claims.routes[*position]).collect();
    let wildcards = routes.iter().enumerate().filter_map(|(index, route)| match &route.host {
        Host::Wildcard(suffix) => Some((index, Reach::OneLabelUnder(suffix))),
        _ => None,
    });
    // An entry for just the wildcard lets it also cover hosts of others.
    let has_entry = |wildcard: &Host<'_>| {
        let is_own = |owner: Owner<'_>| Host::parse(owner.host) == *wildcard;
        cx.ownership.owner(wildcard, cx.cluster).is_some_and(is_own)
            && cx.ownership.claim(wildcard, cx.namespace(), cx.cluster) == OwnershipDecision::Free
    };
    let mut worst: BTreeMap<usize, Taken<'_>> = BTreeMap::new();
    walk(cx, wildcards, |index, HostBelow { host: name, facts, .. }| {
        let all = || claims.routes.iter().map(|route| (route, true));
        let rules = || {
            rules.get_or_init(|| OwnRules::new(all(), (claims, DataPlaneHints::order(claims.hints())), order, cx.this))
        };
        let precise = Host::Precise(name.into());
        let wildcard = &routes[index].host;
        let passes = passthrough.as_ref().is_some_and(|passthrough| passthrough.passes_before(wildcard, facts));
        let order = |other: &OtherIngress<'_>| match passes {
            true => Order::First,
            false => rules().order(wildcard, &precise, other),
        };
        let effect = effect(claims, name, &others.of(facts), order, has_entry(wildcard), cx);
        let is_older = created.is_some_and(|own| facts.created.is_some_and(|theirs| own < theirs));
        let taken = effect.map(|effect| Taken { effect, is_older, passes, name, other: &facts.object_ref });
        let Some(least) = worst.get(&index).copied().into_iter().chain(taken).min() else {
            return ControlFlow::Continue(());
        };
        worst.insert(index, least);
        if may_be_serious { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    worst.into_iter().for_each(|(index, taken)| report(routes[index], taken, is_narrowed, found));
}

/// Reports the most serious effect on the hosts below a wildcard that were looked at. A mild one is not reported beside
/// another one. One that only takes the requests that meet conditions (`is_narrowed`) is a warning.
fn report(route: &Route<'_>, worst: Taken<'_>, is_narrowed: bool, found: &mut Findings<'_>) {
    let Taken { effect, is_older, passes, name, other } = worst;
    let template = match effect {
        WildcardEffect::Precedes => "wildcard {} takes requests for {} before {other} does",
        WildcardEffect::TakesFromOwner => "wildcard {} takes requests for {} from {other}, its owner",
        WildcardEffect::CoversRest => "wildcard {} also covers {} of {other}: list your hosts instead",
        WildcardEffect::CoversSquatter => "wildcard {} covers {} of {other}, which does not own it",
    };
    let wildcard = route.host.to_string();
    let is_mild = matches!(effect, WildcardEffect::CoversRest | WildcardEffect::CoversSquatter);
    if is_mild && found.has_at(&route.host_at.into()) {
        return;
    }
    let finding = found.duplicate(route.host_at, &format!("{wildcard} {name}"), template);
    finding.args([&wildcard]).redactable(name, "a host").other(other);
    match passes {
        true => finding.claim(&wildcard, Some(CONNECTIONS)),
        false => finding.claim(&wildcard, None).older(is_older),
    };
    if is_mild || (is_narrowed && effect == WildcardEffect::Precedes) {
        finding.only_warns();
    }
}

/// What happens to requests for the host `name` of `other`, if an entry gives just the wildcard to its namespace (`has_entry`). `None` if the wildcard does not affect them, or if `other`
/// is newer.
fn effect(
    claims: &Claims<'_>,
    name: &str,
    other: &OtherIngress<'_>,
    order: impl Fn(&OtherIngress<'_>) -> Order,
    has_entry: bool,
    cx: &Context<'_>,
) -> Option<WildcardEffect> {
    let facts = other.facts;
    // An ACME solver is deleted before its author can act on a message.
    if facts.mark == Mark::AcmeSolver {
        return None;
    }
    let relation = other.nearest(claims, cx).relation;
    let host = Host::Precise(name.into());
    if relation == Relation::Apart {
        return None;
    }
    let rival = rival_by_ownership(&host, &facts.object_ref, cx)?;
    let is_owned = is_squatter(&host, cx.namespace(), cx);
    if !is_owned && age(facts.created, cx).is_some_and(std::cmp::Ordering::is_lt) {
        return None;
    }
    match rival {
        Rival::Squatter => Some(WildcardEffect::CoversSquatter),
        Rival::Holder if relation == Relation::Related => Some(WildcardEffect::CoversRest),
        Rival::Holder => match order(other) {
            Order::First => Some(WildcardEffect::Precedes),
            _ if is_owned && !has_entry => Some(WildcardEffect::TakesFromOwner),
            Order::Last => None,
            Order::Unknown => Some(WildcardEffect::CoversRest),
        },
    }
}
