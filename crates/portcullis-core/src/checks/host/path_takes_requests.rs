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
use crate::matching::path_interpretation::{Likeness, likeness};
use crate::matching::{Claims, Mark, PathType, Route};

pub static CHECK: Check = Check {
    id: "host/path-takes-requests",
    needs: &[Kind::Ingress, Kind::IngressClass],
    page: include_str!("path_takes_requests.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::WARN)
};

/// A path of another Ingress whose requests a path of this Ingress takes. `is_expression` is set if this path does so
/// as a regular expression.
struct Taken<'c> {
    other: &'c IngressFacts,
    theirs: &'c RouteFacts,
    is_expression: bool,
}

impl Taken<'_> {
    /// Sorts the oldest Ingress first, then by name.
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
        of_host(&TakingPaths::new(claims, annotation, &positions), cx, &mut taken);
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

/// The paths of one host of the Ingress under review that may take requests of others.
struct TakingPaths<'r> {
    claims: &'r Claims<'r>,
    /// The annotation of the Ingress that makes its paths expressions.
    annotation: Option<&'r str>,
    /// Positions of the routes, which all have the same host.
    positions: &'r [usize],
    /// The positions of the Exact paths, by path.
    exact: HashMap<&'r str, usize>,
}

impl<'r> TakingPaths<'r> {
    fn new(claims: &'r Claims<'r>, annotation: Option<&'r str>, positions: &'r [usize]) -> Self {
        let exact = routes(claims, positions).filter(|(_, route)| is_exact(route));
        let exact = exact.map(|(position, route)| (path_text(route), position)).collect();
        Self { claims, annotation, positions, exact }
    }

    /// The Exact path that takes requests from the path `theirs`. Where both match the same requests they are in
    /// conflict, which another check reports.
    fn exact_for(&self, theirs: &RouteFacts, controller: Option<Controller>) -> Option<usize> {
        let position = *self.exact.get(&*theirs.path)?;
        let own = &self.claims.routes[position];
        let likeness = || {
            let path = own.path.as_ref()?.notated(self.claims.notation(own));
            Some(likeness(path, theirs.notated(), controller))
        };
        let may_be_taken = theirs.kind != PathType::Exact && !theirs.notation.has_special;
        (may_be_taken && likeness() != Some(Likeness::Same)).then_some(position)
    }

    /// The paths that `controller` reads as expressions; `is_enforced` says whether another Ingress of the host asks
    /// for expressions.
    fn expressions(&self, is_enforced: bool, controller: Controller) -> Vec<(usize, Expression<'r>)> {
        let written = routes(self.claims, self.positions).filter(|(_, route)| !is_exact(route));
        let read = written.filter_map(|(position, route)| {
            let kind = route.path.as_ref()?.kind;
            Some((position, Expression::of(kind, route.written, self.annotation, is_enforced, controller)?))
        });
        read.take(MAX_EXPRESSIONS).collect()
    }
}

/// The routes at `positions`, each with its position.
fn routes<'r>(claims: &'r Claims<'r>, positions: &'r [usize]) -> impl Iterator<Item = (usize, &'r Route<'r>)> {
    positions.iter().map(|position| (*position, &claims.routes[*position]))
}

/// Adds what these paths take from Ingresses of other namespaces; of each path only what ranks first is kept.
fn of_host<'c>(own: &TakingPaths<'_>, cx: &Context<'c>, taken: &mut BTreeMap<usize, Taken<'c>>) {
    let claims = own.claims;
    let host = &claims.routes[own.positions[0]].host;
    let mut expressions: Vec<(Controller, Vec<(usize, Expression<'_>)>)> = Vec::new();
    let others: Vec<_> = cx.cluster.ingresses_with_host(host).collect();
    let enforces =
        |other: &&IngressFacts| other.routes.iter().any(|route| route.notation.is_chosen && route.host() == *host);
    for other in others.iter().filter(|other| may_be_taken_from(claims, other, cx)) {
        let nearest = cx.data_planes.nearest(claims, other, cx.cluster);
        if nearest.relation != Relation::Same
            || rival(host, &other.object_ref, other.created, cx) != Some(Rival::Holder)
        {
            continue;
        }
        let served = Served { class: nearest.class, hints: other.hints.as_deref() };
        let controller = cx.data_planes.controller(claims, served, cx.cluster);
        if let Some(controller) = controller
            && !expressions.iter().any(|(known, _)| *known == controller)
        {
            expressions.push((controller, own.expressions(others.iter().any(enforces), controller)));
        }
        let read = expressions.iter().find(|(known, _)| Some(*known) == controller);
        for theirs in other.routes.iter().filter(|theirs| theirs.host() == *host && !theirs.notation.is_default_backend)
        {
            let as_exact = own.exact_for(theirs, controller).map(|position| (position, false));
            let read = read.iter().flat_map(|(_, read)| read);
            let by_expression = read.filter(|(_, read)| read.matches(theirs.notated()));
            let by_expression = by_expression.map(|(position, _)| (*position, true));
            for (position, is_expression) in as_exact.into_iter().chain(by_expression) {
                let next = Taken { other, theirs, is_expression };
                if taken.get(&position).is_none_or(|known| next.rank() < known.rank()) {
                    taken.insert(position, next);
                }
            }
        }
    }
}

/// Whether `other` is in another namespace, and neither Ingress is an ACME solver, which only exists for a short time.
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

/// How many regular expressions of one host are evaluated. Each costs as much as hundreds of comparison steps.
const MAX_EXPRESSIONS: usize = 64;
