//! `host/wildcard-takes-host`

use hashbrown::HashSet;

use super::{Rival, age, is_squatter, rival_by_ownership};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::{IngressFacts, Relation, Served};
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::rule_order::{self, OrderedRule, RuleOrder};
use crate::matching::{Claims, DataPlaneHints, Depth, Host, Mark, Path};

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

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    for route in &claims.routes {
        let Host::Wildcard(suffix) = &route.host else { continue };
        // One finding for all paths of a host, so that splitting or reordering rules adds no findings.
        if !seen.insert(suffix) {
            continue;
        }
        let hosts = cx.cluster.ingress_hosts_one_label_under(suffix);
        let taken = hosts.filter_map(|(name, other)| Some((effect(claims, name, other, cx)?, name, other)));
        let Some((effect, name, other)) = taken.min_by_key(|(effect, name, other)| (*effect, *name, &other.object_ref))
        else {
            continue;
        };
        let template = match effect {
            WildcardEffect::Precedes => "wildcard {} takes requests for {} before {other} does",
            WildcardEffect::TakesFromOwner => "wildcard {} takes requests for {} from {other}, its owner",
            WildcardEffect::CoversRest => "wildcard {} also covers {} of {other}: list your hosts instead",
            WildcardEffect::CoversSquatter => "wildcard {} covers {} of {other}, which does not own it",
        };
        let wildcard = route.host.to_string();
        let is_mild = matches!(effect, WildcardEffect::CoversRest | WildcardEffect::CoversSquatter);
        let finding = found.duplicate(route.host_at, &format!("{wildcard} {name}"), template);
        finding.args([&wildcard]).redactable(name, "a host").other(&other.object_ref);
        if is_mild {
            finding.only_warns();
        }
    }
}

/// What happens to requests for the host `name` of `other`. `None` if the wildcard does not affect them, or if `other`
/// is newer.
fn effect(claims: &Claims<'_>, name: &str, other: &IngressFacts, cx: &Context<'_>) -> Option<WildcardEffect> {
    // An ACME solver is deleted before its author can act on a message.
    if other.object_ref.namespace == cx.namespace() || other.mark == Mark::AcmeSolver {
        return None;
    }
    let relation = cx.data_planes.nearest(claims, other, cx.cluster).relation;
    let host = Host::Precise(name.into());
    if relation == Relation::Apart {
        return None;
    }
    let rival = rival_by_ownership(&host, &other.object_ref, cx)?;
    let is_owned = is_squatter(&host, cx.namespace(), cx);
    if !is_owned && age(other.created, cx).is_some_and(std::cmp::Ordering::is_lt) {
        return None;
    }
    match rival {
        Rival::Squatter => Some(WildcardEffect::CoversSquatter),
        Rival::Holder if relation == Relation::Related => Some(WildcardEffect::CoversRest),
        Rival::Holder => match order(claims, name, other, cx) {
            Order::First => Some(WildcardEffect::Precedes),
            _ if is_owned => Some(WildcardEffect::TakesFromOwner),
            Order::Last => None,
            Order::Unknown => Some(WildcardEffect::CoversRest),
        },
    }
}

/// When the rules of the wildcard are evaluated, compared with those of the precise host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// At least one of them before a rule of the precise host that can match the same request.
    First,
    /// All of them after those of the precise host, by the order of their group.
    Last,
    /// Unknown, or the data plane selects the host before the rules.
    Unknown,
}

fn order(claims: &Claims<'_>, name: &str, other: &IngressFacts, cx: &Context<'_>) -> Order {
    let served = |class| Served { class, hints: claims.hints() };
    let mut orders = claims.classes.iter().map(|class| cx.data_planes.rule_order(served(class), cx.cluster));
    let Some(order) = orders.find(|order| *order != RuleOrder::Host) else { return Order::Unknown };
    let (annotations, their_annotations) =
        (DataPlaneHints::order(claims.hints()), DataPlaneHints::order(other.hints.as_deref()));
    let host = Host::Precise(name.into());
    let precise = || other.routes.iter().filter(|route| route.host() == host);
    let wild = claims.routes.iter().filter(|route| route.host.covers(&host, Depth::OneLabel));
    let wild = wild.filter_map(|route| Some((route, route.path.as_ref()?)));
    let pairs = wild.flat_map(|(route, path)| precise().map(move |theirs| (route, path, theirs)));
    let mut is_last = order == RuleOrder::Group;
    for (route, path, theirs) in pairs.take(MAX_PAIRS) {
        let their_path = Path { kind: theirs.kind, text: (&*theirs.path).into() };
        if !path.overlaps(&their_path) {
            continue;
        }
        let own = OrderedRule {
            object_ref: cx.this,
            annotations,
            length: rule_order::length(&route.host, path, Some(route.written)),
        };
        let length = rule_order::length(&host, &their_path, None);
        let theirs = OrderedRule { object_ref: &other.object_ref, annotations: their_annotations, length };
        match own.is_before(&theirs, order) {
            Some(true) => return Order::First,
            Some(false) => {}
            None => is_last = false,
        }
    }
    if is_last { Order::Last } else { Order::Unknown }
}

/// How many pairs of rules are compared.
const MAX_PAIRS: usize = 4096;
