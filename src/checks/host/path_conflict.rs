//! `host/path-conflict`

use hashbrown::HashMap;

use super::{Rival, is_unordered, rival};
use crate::checks::{Actions, Check, Context, Operation, Run};
use crate::cluster::{IngressFacts, Nearest, Relation};
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::{Claims, Host, Mark};

pub static CHECK: Check = Check {
    id: "host/path-conflict",
    needs: &[Kind::Ingress, Kind::IngressClass],
    page: include_str!("path_conflict.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::DENY)
};

/// What another Ingress with the same host and path is to this one, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Twin {
    /// It is served by the same proxy for another namespace.
    Stranger,
    /// The same, but host ownership gives the host to this namespace.
    Squatter,
    /// It is another namespace's, and its class has the same controller, or maybe another load balancer serves it.
    Related,
    /// It is of the same namespace.
    Neighbor,
}

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // Two Ingresses may have thousands of paths in common.
    let mut known: HashMap<*const IngressFacts, Nearest<'_>> = HashMap::new();
    for route in claims.routes.iter().take_while(|_| cx.cluster.steps().are_left()) {
        let Some(path) = &route.path else { continue };
        let others = cx.cluster.ingresses_with_route(&route.host, path);
        let twins = others.filter_map(|other| {
            let nearest = *known.entry(other).or_insert_with(|| cx.data_planes.nearest(claims, other, cx.cluster));
            Some((twin(claims, other, nearest.relation, &route.host, cx)?, other, nearest))
        });
        // Of the gravest the oldest, which is the one in the way, then by name: the same answer in any order of the index.
        let rank =
            |(twin, other, _): &(Twin, &IngressFacts, Nearest<'_>)| (*twin, other.created.is_none(), other.created);
        let Some((twin, other, nearest)) =
            twins.min_by(|left, right| (rank(left), &left.1.place).cmp(&(rank(right), &right.1.place)))
        else {
            continue;
        };
        let identity = format!("{} {} {path}", route.host, path.kind);
        let template = match twin {
            Twin::Squatter => "{other} also serves path {} on {} and may not claim it",
            Twin::Related if nearest.is_assumed => "path {} on {} may be shared with {other} ({}; see dataPlanes)",
            Twin::Related => "path {} on {} is also served by {other} ({}), of the same controller",
            // Two load balancers may serve the class; the reader learns where that can be said.
            _ if nearest.is_assumed && is_unordered(&route.host, other.created, cx) => {
                "path {} on {} is also served by {other} ({}; see dataPlanes); remove it from either of the two"
            }
            _ if is_unordered(&route.host, other.created, cx) => {
                "path {} on {} is also served by {other} ({}); remove it from either of the two"
            }
            _ if cx.operation == Operation::Stored && nearest.is_assumed => {
                "path {} on {} is also served by {other} ({}; see dataPlanes)"
            }
            _ if cx.operation == Operation::Stored => "path {} on {} is also served by {other} ({})",
            _ if nearest.is_assumed => "path {} on {} is already served by {other} ({}; see dataPlanes)",
            Twin::Stranger | Twin::Neighbor => "path {} on {} is already served by {other} ({})",
        };
        let class = nearest.class.map_or("no class".to_owned(), |class| format!("class {class}"));
        let (path, host) = (path.text.as_ref(), route.host.to_string());
        let finding = found.duplicate(route.at.then("path"), &identity, template);
        finding.shown([path, &host, &class]).other(&other.place);
        if twin != Twin::Stranger {
            finding.only_warns();
        }
    }
}

/// What `other` is to the Ingress under review; none where they never compete, may share a route, or the fault is the other's.
fn twin(
    claims: &Claims<'_>,
    other: &IngressFacts,
    relation: Relation,
    host: &Host<'_>,
    cx: &Context<'_>,
) -> Option<Twin> {
    let is_neighbor = other.place.namespace == cx.namespace();
    if is_neighbor && (claims.mark != Mark::None || other.mark != Mark::None) {
        return None;
    }
    if relation == Relation::Apart || (is_neighbor && relation == Relation::Related) {
        return None;
    }
    match rival(host, &other.place, other.created, cx)? {
        Rival::Holder if is_neighbor => Some(Twin::Neighbor),
        Rival::Holder if relation == Relation::Related => Some(Twin::Related),
        Rival::Holder => Some(Twin::Stranger),
        Rival::Squatter => Some(Twin::Squatter),
    }
}
