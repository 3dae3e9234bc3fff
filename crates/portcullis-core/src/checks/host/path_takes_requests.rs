//! `host/path-takes-requests`

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::{Rival, rival};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::{IngressFacts, Relation, RouteFacts, Served};
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::controller::Controller;
use crate::matching::path_expression::{Expression, may_be_expression};
use crate::matching::path_reading::{Likeness, likeness};
use crate::matching::{Claims, Mark, PathType, Route};

pub static CHECK: Check = Check {
    id: "host/path-takes-requests",
    needs: &[Kind::Ingress, Kind::IngressClass],
    page: include_str!("path_takes_requests.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::WARN)
};

/// The path of another Ingress whose requests a path of this one takes, and whether it does so as an expression.
struct Taken<'c> {
    other: &'c IngressFacts,
    theirs: &'c RouteFacts,
    is_expression: bool,
}

impl Taken<'_> {
    /// The oldest first, then by name.
    fn rank(&self) -> impl Ord {
        let other = self.other;
        (other.created.is_none(), other.created, &other.object_ref, self.theirs.kind, &*self.theirs.path)
    }
}

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let annotation = claims.path_regex();
    let mut by_host: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (position, route) in claims.routes.iter().enumerate() {
        let may_take = route.path.as_ref().is_some_and(|path| match path.kind {
            PathType::Exact => true,
            PathType::ImplementationSpecific => may_be_expression(route.written),
            PathType::Prefix => annotation.is_some() && may_be_expression(route.written),
        });
        if may_take {
            by_host.entry(route.host.parts()).or_default().push(position);
        }
    }
    let mut taken: BTreeMap<usize, Taken<'_>> = BTreeMap::new();
    for positions in by_host.into_values() {
        of_host(claims, annotation, &positions, cx, &mut taken);
    }
    for (position, Taken { other, theirs, is_expression }) in taken {
        let route = &claims.routes[position];
        let host = route.host.to_string();
        let identity = format!("{host} {} {}", theirs.kind, theirs.path);
        let at = route.at.then("path");
        let finding = match is_expression {
            true => {
                let template = "expression {} on {} takes requests for {} from {other}: use a path of your own";
                let finding = found.duplicate(at, &identity, template);
                finding.args([route.written, &host]).redactable(&theirs.path, "a path")
            }
            false => {
                let template = "Exact path {} on {} takes requests from {other}: use a path of your own";
                found.duplicate(at, &identity, template).args([route.written, &host])
            }
        };
        finding.other(&other.object_ref);
    }
}

/// What the routes at these positions, which have one host, take from Ingresses of other namespaces.
fn of_host<'c>(
    claims: &Claims<'_>,
    annotation: Option<&str>,
    positions: &[usize],
    cx: &Context<'c>,
    taken: &mut BTreeMap<usize, Taken<'c>>,
) {
    let host = &claims.routes[positions[0]].host;
    let of_type = |wanted: bool| {
        let routes = positions.iter().map(|position| (*position, &claims.routes[*position]));
        routes.filter(move |(_, route)| wanted == is_exact(route))
    };
    let exact: HashMap<&str, usize> = of_type(true).map(|(position, route)| (path_text(route), position)).collect();
    let mut expressions: Vec<(Controller, Vec<(usize, Expression<'_>)>)> = Vec::new();
    let others: Vec<_> = cx.cluster.ingresses_with_host(host).collect();
    let is_enforced =
        |own: &IngressFacts| own.routes.iter().any(|route| route.spelling.is_chosen && route.host() == *host);
    for other in others.iter().filter(|other| may_be_taken_from(claims, other, cx)) {
        let nearest = cx.data_planes.nearest(claims, other, cx.cluster);
        if nearest.relation != Relation::Same
            || !cx.cluster.take_steps(&other.object_ref, other.routes.len())
            || rival(host, &other.object_ref, other.created, cx) != Some(Rival::Holder)
        {
            continue;
        }
        let served = Served { class: nearest.class, balancer: other.balancer.as_deref() };
        let controller = cx.data_planes.controller(claims, served, cx.cluster);
        if let Some(controller) = controller
            && !expressions.iter().any(|(known, _)| *known == controller)
        {
            let is_enforced = others.iter().any(|other| is_enforced(other));
            let read = of_type(false).filter_map(|(position, route)| {
                let kind = route.path.as_ref()?.kind;
                Some((position, Expression::of(kind, route.written, annotation, is_enforced, controller)?))
            });
            expressions.push((controller, read.take(MAX_EXPRESSIONS).collect()));
        }
        let read = expressions.iter().find(|(known, _)| Some(*known) == controller);
        for theirs in other.routes.iter().filter(|theirs| theirs.host() == *host && !theirs.spelling.is_default_backend)
        {
            let path = theirs.spelled();
            let as_exact = exact.get(&*theirs.path).filter(|position| {
                // Where both match the same requests, they are in conflict, which is more than this.
                let own = &claims.routes[**position];
                let own_path = own
                    .path
                    .as_ref()
                    .map(|own_path| likeness(own_path.spelled(claims.spelling(own)), path, controller));
                theirs.kind != PathType::Exact && !theirs.spelling.has_special && own_path != Some(Likeness::Same)
            });
            let as_exact = as_exact.map(|position| (*position, false));
            let read = read.iter().flat_map(|(_, read)| read).take_while(|_| cx.cluster.take_step(&other.object_ref));
            let by_expression = read.filter(|(_, read)| read.matches(path)).map(|(position, _)| (*position, true));
            for (position, is_expression) in as_exact.into_iter().chain(by_expression) {
                let next = Taken { other, theirs, is_expression };
                if taken.get(&position).is_none_or(|known| next.rank() < known.rank()) {
                    taken.insert(position, next);
                }
            }
        }
    }
}

/// Whether `other` belongs to another namespace and neither is a solver, which is gone soon.
fn may_be_taken_from(claims: &Claims<'_>, other: &IngressFacts, cx: &Context<'_>) -> bool {
    other.object_ref.namespace != cx.namespace()
        && [claims.mark, other.mark].iter().all(|mark| *mark != Mark::AcmeSolver)
}

fn is_exact(route: &Route<'_>) -> bool {
    route.path.as_ref().is_some_and(|path| path.kind == PathType::Exact)
}

fn path_text<'r>(route: &'r Route<'_>) -> &'r str {
    route.path.as_ref().map_or("", |path| &path.text)
}

/// How many expressions of one host are read: each costs as much as hundreds of steps.
const MAX_EXPRESSIONS: usize = 64;
