//! `host/wildcard-takes-host`

use hashbrown::HashSet;

use super::{Rival, age, is_squatter, right};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::{IngressFacts, Relation};
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::{Claims, Host, Mark};

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
        let Some((taking, name, other)) = taken.min_by_key(|(taking, name, other)| (*taking, *name, &other.place))
        else {
            continue;
        };
        let template = match taking {
            Taking::First => "wildcard {} takes requests for {} before {other} does",
            Taking::Owned => "wildcard {} takes requests for {} from {other}, its owner",
            Taking::Rest => "wildcard {} also covers {} of {other}: list your hosts",
            Taking::Squatted => "wildcard {} covers {} of {other}, which may not claim it",
        };
        let wildcard = route.host.to_string();
        let is_mild = matches!(taking, Taking::Rest | Taking::Squatted);
        let finding = found.duplicate(route.host_at, &format!("{wildcard} {name}"), template);
        finding.shown([&wildcard]).foreign(name, "a host").other(&other.place);
        if is_mild {
            finding.only_warns();
        }
    }
}

/// What becomes of requests for the host `name` of `other`; none where the wildcard is none of its business, or the other came later.
fn taking(claims: &Claims<'_>, name: &str, other: &IngressFacts, cx: &Context<'_>) -> Option<Taking> {
    // A solver is gone before anybody could act upon the message.
    if other.place.namespace == cx.namespace() || other.mark == Mark::AcmeSolver {
        return None;
    }
    let relation = cx.data_planes.nearest(claims, other, cx.cluster).relation;
    let host = Host::Precise(name.into());
    if relation == Relation::Apart {
        return None;
    }
    let right = right(&host, &other.place, cx)?;
    let is_owned = is_squatter(&host, cx.namespace(), cx);
    if !is_owned && age(other.created, cx).is_some_and(std::cmp::Ordering::is_lt) {
        return None;
    }
    match right {
        Rival::Squatter => Some(Taking::Squatted),
        Rival::Holder if relation == Relation::Related => Some(Taking::Rest),
        Rival::Holder if cx.data_planes.is_wildcard_first(claims, cx.cluster) => Some(Taking::First),
        Rival::Holder if is_owned => Some(Taking::Owned),
        Rival::Holder => Some(Taking::Rest),
    }
}
