//! `host/wildcard-takes-host`

use hashbrown::HashSet;

use super::{Rival, age, is_squatter, right};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::{IngressFacts, Relation, Served};
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::rule_order::{self, Ranked, RuleOrder};
use crate::matching::{Claims, DataPlaneHints, Depth, Host, Mark, Path};

pub static CHECK: Check = Check {
    id: "host/wildcard-takes-host",
    needs: &[Kind::Ingress, Kind::IngressClass],
    page: include_str!("wildcard_takes_host.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::DENY)
};

/// What becomes of the requests for a precise host, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Taking {
    /// The wildcard's rules may be asked first.
    First,
    /// Host ownership gives the host to others than the wildcard's namespace.
    Owned,
    /// The wildcard answers what the precise host's rules leave open.
    Rest,
    /// The same, but the host is the wildcard's namespace's own.
    Squatted,
}

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let mut judged = HashSet::new();
    for route in &claims.routes {
        let Host::Wildcard(suffix) = &route.host else { continue };
        // One finding for all paths of a host, in however many rules they stand: splitting or reordering rules adds none.
        if !judged.insert(suffix) {
            continue;
        }
        let hosts = cx.cluster.ingress_hosts_one_label_under(suffix);
        let taken = hosts.filter_map(|(name, other)| Some((taking(claims, name, other, cx)?, name, other)));
        let Some((taking, name, other)) = taken.min_by_key(|(taking, name, other)| (*taking, *name, &other.object_ref))
        else {
            continue;
        };
        let template = match taking {
            Taking::First => "wildcard {} takes requests for {} before {other} does",
            Taking::Owned => "wildcard {} takes requests for {} from {other}, its owner",
            Taking::Rest => "wildcard {} also covers {} of {other}: list your hosts instead",
            Taking::Squatted => "wildcard {} covers {} of {other}, which does not own it",
        };
        let wildcard = route.host.to_string();
        let is_mild = matches!(taking, Taking::Rest | Taking::Squatted);
        let finding = found.duplicate(route.host_at, &format!("{wildcard} {name}"), template);
        finding.args([&wildcard]).redactable(name, "a host").other(&other.object_ref);
        if is_mild {
            finding.only_warns();
        }
    }
}

/// What becomes of requests for the host `name` of `other`; none where the wildcard is none of its business, or the other came later.
fn taking(claims: &Claims<'_>, name: &str, other: &IngressFacts, cx: &Context<'_>) -> Option<Taking> {
    // A solver is gone before anybody could act upon the message.
    if other.object_ref.namespace == cx.namespace() || other.mark == Mark::AcmeSolver {
        return None;
    }
    let relation = cx.data_planes.nearest(claims, other, cx.cluster).relation;
    let host = Host::Precise(name.into());
    if relation == Relation::Apart {
        return None;
    }
    let right = right(&host, &other.object_ref, cx)?;
    let is_owned = is_squatter(&host, cx.namespace(), cx);
    if !is_owned && age(other.created, cx).is_some_and(std::cmp::Ordering::is_lt) {
        return None;
    }
    match right {
        Rival::Squatter => Some(Taking::Squatted),
        Rival::Holder if relation == Relation::Related => Some(Taking::Rest),
        Rival::Holder => match order(claims, name, other, cx) {
            Order::First => Some(Taking::First),
            _ if is_owned => Some(Taking::Owned),
            Order::Last => None,
            Order::Unknown => Some(Taking::Rest),
        },
    }
}

/// When the wildcard's rules are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// One of them before one for the precise host that may take the same request.
    First,
    /// All after those for the precise host, by the order of their group.
    Last,
    /// Nothing tells, or the host comes first.
    Unknown,
}

fn order(claims: &Claims<'_>, name: &str, other: &IngressFacts, cx: &Context<'_>) -> Order {
    let served = |class| Served { class, balancer: claims.balancer() };
    let mut orders = claims.classes.iter().map(|class| cx.data_planes.rule_order(served(class), cx.cluster));
    let Some(order) = orders.find(|order| *order != RuleOrder::Host) else { return Order::Unknown };
    let (rank, their_rank) = (DataPlaneHints::rank(claims.balancer()), DataPlaneHints::rank(other.balancer.as_deref()));
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
        let own =
            Ranked { object_ref: cx.this, rank, length: rule_order::length(&route.host, path, Some(route.written)) };
        let length = rule_order::length(&host, &their_path, None);
        let theirs = Ranked { object_ref: &other.object_ref, rank: their_rank, length };
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
