//! `host/path-takes-requests`

use std::collections::BTreeMap;
use std::rc::Rc;

use hashbrown::HashSet;

use super::exact_paths;
use super::expression_candidates::candidates;
use super::other_ingress::{OtherIngress, OtherIngresses, may_be_taken_from};
use super::passthrough::{self, Passthrough};
use super::{Rival, rival};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::{IngressFacts, PlaneInputs, Relation, RouteFacts};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::annotation_effect::{AnnotationEffect, Effect, with_effect};
use crate::matching::compile::Unusable;
use crate::matching::controller::Controller;
use crate::matching::path_expression::{Expression, beginning, may_be_expression};
use crate::matching::{Claims, Host, PathType, Readers, Route};

pub static CHECK: Check = Check {
    id: "host/path-takes-requests",
    needs: &[Kind::Ingress, Kind::IngressClass],
    page: include_str!("path_takes_requests.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::ACROSS)
};

/// How a path of this Ingress takes requests of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taking<'r> {
    /// As a regular expression.
    Expression,
    /// As a regular expression that is not matched, which may match every path with this beginning.
    Perhaps(&'r str),
}

/// A path of another Ingress whose requests a path of this Ingress takes.
struct Taken<'r, 'c> {
    taking: Taking<'r>,
    theirs: Theirs<'c>,
}

impl Taken<'_, '_> {
    fn rank(&self) -> impl Ord {
        (matches!(self.taking, Taking::Perhaps(_)), self.theirs.rank())
    }
}

/// A path of another Ingress.
#[derive(Clone, Copy)]
struct Theirs<'c> {
    other: &'c IngressFacts,
    route: &'c RouteFacts,
    readers: Readers,
}

impl Theirs<'_> {
    /// Sorts the oldest Ingress first, then by name.
    fn rank(&self) -> impl Ord {
        (rank(self.other), self.route.kind, &*self.route.path)
    }
}

fn rank(other: &IngressFacts) -> impl Ord {
    (other.created.is_none(), other.created, &other.object_ref)
}

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    exact_paths::check(claims, cx, found);
    let enabling: Vec<Controller> = claims.path_regex().collect();
    let mut by_host: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (position, route) in claims.routes.iter().enumerate() {
        let may_take = route.path.as_ref().is_some_and(|path| match path.kind {
            PathType::Exact => false,
            PathType::ImplementationSpecific => may_be_expression(route.written),
            PathType::Prefix => !enabling.is_empty() && may_be_expression(route.written),
        });
        if may_take {
            by_host.entry(route.host.parts()).or_default().push(position);
        }
    }
    let mut all = AllTaken::new(claims, cx);
    for positions in cx.part.within(by_host.into_values()) {
        all.of_host(positions, &enabling);
    }
    passed_through(&mut all, found);
    redirected(&mut all, found);
    for (position, Taken { taking, theirs }) in all.taken {
        let route = &claims.routes[position];
        let host = route.host.to_string();
        let at = route.at.then("path");
        let identity = format!("{host} {} {}", theirs.route.kind, theirs.route.path);
        let finding = match taking {
            Taking::Expression => {
                let template = "expression {} on {} takes requests for {} from {other}: use a path of your own";
                let finding = found.duplicate(at, &identity, template).args([route.written, &host]);
                finding.redactable(&theirs.route.path, "a path")
            }
            Taking::Perhaps(prefix) => {
                let template = "expression {} on {} may match everything below {}, also of {other}: simplify it";
                let finding = found.duplicate(at, &format!("{host} below {prefix}"), template);
                finding.args([route.written, &host, if prefix.is_empty() { "/" } else { prefix }])
            }
        };
        finding.other(&theirs.other.object_ref);
        if matches!(taking, Taking::Perhaps(_)) {
            finding.only_warns();
        }
        // Of the paths that this one takes only the first is named, so a wider path would have the same identity.
        finding.claim(&host, route.key());
    }
}

/// Reports each host whose TLS connections an annotation may pass through to one Service, beside an Ingress of another
/// namespace.
fn passed_through(all: &mut AllTaken<'_, '_, '_>, found: &mut Findings<'_>) {
    let (claims, part) = (all.claims, all.cx.part);
    let passthrough: Vec<_> = with_effect(Effect::Passthrough, claims.ingress).collect();
    if passthrough.is_empty() {
        return;
    }
    let certain = Passthrough::of(claims, all.cx);
    for position in part.of(claims.first_by_host()) {
        let host = &claims.routes[*position].host;
        // Another check denies these.
        let is_certain = |theirs: &Theirs<'_>| {
            certain.as_ref().is_some_and(|certain| certain.passes(host, || theirs.route.path.as_ref() == "/"))
        };
        let others = all.others(host);
        let theirs = all.theirs(host, &others);
        if theirs.iter().any(is_certain) {
            continue;
        }
        let taken = theirs.into_iter().find_map(|theirs| {
            let counts = |row: &AnnotationEffect| theirs.readers.count(row.effect.direction(), row.readers);
            passthrough.iter().find(|(row, ..)| counts(row)).map(|(_, key, _)| (*key, theirs))
        });
        if let Some((key, theirs)) = taken {
            // ingress-nginx reads its annotation only with `--enable-ssl-passthrough`.
            passthrough::report(key, host, &theirs.other.object_ref, found).only_warns();
        }
    }
}

/// Reports each host of which an annotation redirects the path `/` that an Ingress of another namespace serves.
fn redirected(all: &mut AllTaken<'_, '_, '_>, found: &mut Findings<'_>) {
    let (claims, part) = (all.claims, all.cx.part);
    let redirects: Vec<_> = with_effect(Effect::FrontRedirect, claims.ingress).collect();
    if redirects.is_empty() {
        return;
    }
    for position in part.of(claims.first_by_host()) {
        let host = &claims.routes[*position].host;
        let others = all.others(host);
        let mut serving = all.theirs(host, &others).into_iter().filter(|theirs| theirs.route.path.as_ref() == "/");
        let taken = serving.find_map(|theirs| {
            let counts = |row: &AnnotationEffect| theirs.readers.count(row.effect.direction(), row.readers);
            redirects.iter().find(|(row, ..)| counts(row)).map(|(_, key, target)| (*key, *target, theirs))
        });
        let Some((key, target, theirs)) = taken else { continue };
        let (at, host) = (At::field("metadata.annotations").key(key), host.to_string());
        let template = "the redirect from / to {} on {} takes requests from {other}: use a host of your own";
        let finding = found.duplicate(at, &host, template).args([target, &host]).other(&theirs.other.object_ref);
        finding.claim(&host, Some("/"));
        if theirs.readers.known().is_none() {
            finding.only_warns();
        }
    }
}

/// The paths of one host of the Ingress under review that may take requests of others.
struct TakingPaths<'r, 'p> {
    claims: &'r Claims<'r>,
    /// The controllers that read an annotation of the Ingress which makes its paths expressions.
    enabling: &'p [Controller],
    /// Positions of the routes, which all have the same host.
    positions: Vec<usize>,
}

impl<'r, 'p> TakingPaths<'r, 'p> {
    /// The paths that `controller` reads as expressions; `is_enforced` says whether another Ingress of the host asks
    /// for expressions.
    fn expressions(&self, is_enforced: bool, controller: Controller) -> Vec<(usize, Expression<'r>)> {
        let is_enabled = is_enforced || self.enabling.contains(&controller);
        let read = routes(self.claims, &self.positions).filter_map(|(position, route)| {
            let kind = route.path.as_ref()?.kind;
            Some((position, Expression::of(kind, route.written, is_enabled, controller)?))
        });
        read.collect()
    }
}

/// The routes at `positions`, each with its position.
fn routes<'r>(claims: &'r Claims<'r>, positions: &[usize]) -> impl Iterator<Item = (usize, &'r Route<'r>)> {
    positions.iter().map(|position| (*position, &claims.routes[*position]))
}

/// What the paths of the Ingress under review take, by position. Of each path only what is most certain and ranks first
/// is kept.
struct AllTaken<'r, 'x, 'c> {
    claims: &'r Claims<'r>,
    cx: &'x Context<'c>,
    others: OtherIngresses<'c>,
    /// How many Ingresses may still be looked at in this part.
    left: usize,
    taken: BTreeMap<usize, Taken<'r, 'c>>,
}

impl<'r, 'x, 'c> AllTaken<'r, 'x, 'c> {
    fn new(claims: &'r Claims<'r>, cx: &'x Context<'c>) -> Self {
        Self { claims, cx, others: OtherIngresses::default(), left: MAX_OTHERS_OF_PART, taken: BTreeMap::new() }
    }

    /// The Ingresses with a host, the oldest first, then by name.
    fn others(&mut self, host: &Host<'_>) -> Vec<Rc<OtherIngress<'c>>> {
        // What a namespace stores beyond all reason is left out: a search for expressions may miss some, but refuses nothing wrongly.
        let mut others: Vec<_> = self.cx.cluster.ingresses_with_host(host).take(MAX_OTHERS.min(self.left)).collect();
        self.left -= others.len();
        others.sort_by_key(|other| rank(other));
        others.into_iter().map(|other| self.others.of(other)).collect()
    }

    /// Adds what the paths at `positions`, which have one host, take from Ingresses of other namespaces.
    fn of_host(&mut self, positions: Vec<usize>, enabling: &[Controller]) {
        let host = &self.claims.routes[positions[0]].host;
        let others = self.others(host);
        if others.is_empty() {
            return;
        }
        let own = TakingPaths { claims: self.claims, enabling, positions };
        let theirs = self.theirs(host, &others);
        let mut controllers: Vec<_> = theirs.iter().filter_map(|theirs| theirs.readers.known()).collect();
        let mut seen = HashSet::new();
        controllers.retain(|controller| seen.insert(*controller as usize));
        for controller in controllers {
            let readers = Readers::Only(controller);
            let enforces = |other: &Rc<OtherIngress<'_>>| {
                other.routes_of(host).iter().any(|route| route.notation.chosen_for.counts(readers))
            };
            let read = own.expressions(others.iter().any(enforces), controller);
            let theirs = theirs.iter().filter(|theirs| theirs.readers == readers).copied();
            self.by_expressions(&read, &theirs.collect::<Vec<_>>());
        }
    }

    /// The paths of a host whose requests may be taken, by rank.
    fn theirs(&mut self, host: &Host<'_>, others: &[Rc<OtherIngress<'c>>]) -> Vec<Theirs<'c>> {
        let (claims, cx) = (self.claims, self.cx);
        let mut all = Vec::new();
        for other in others.iter().filter(|other| may_be_taken_from(claims, other.facts, cx)) {
            let (facts, nearest) = (other.facts, other.nearest(claims, cx));
            if nearest.relation != Relation::Same
                || rival(host, &facts.object_ref, facts.created, cx) != Some(Rival::Holder)
            {
                continue;
            }
            let served = PlaneInputs { class: nearest.class, hints: facts.hints.as_deref() };
            let readers = cx.data_planes.controller(claims, served, cx.cluster);
            let routes = other.routes_of(host).iter().filter(|route| !route.notation.is_default_backend);
            let first = all.len();
            if first >= MAX_ROUTES {
                break;
            }
            all.extend(routes.map(|route| Theirs { other: facts, route, readers }));
            all[first..].sort_by_key(|theirs| (theirs.route.kind, &*theirs.route.path));
        }
        all
    }

    /// Adds what expressions take that one controller reads. `theirs` are the paths of others, by rank.
    fn by_expressions(&mut self, read: &[(usize, Expression<'r>)], theirs: &[Theirs<'c>]) {
        let own: Vec<_> = read.iter().map(|(_, expression)| *expression).collect();
        let ranked: Vec<_> = theirs.iter().map(|theirs| theirs.route.notated()).collect();
        for ((position, expression), candidates) in read.iter().zip(candidates(&own, &ranked)) {
            let Some(first) = candidates.first.map(|number| theirs[number]) else { continue };
            let compiled = expression.compiled(self.cx.expressions);
            let may_match_all = match &*compiled {
                Ok(regex) => {
                    let matches = |theirs: &&Theirs<'_>| regex.is_match(beginning(&theirs.route.path));
                    let mut compared = candidates.positions.iter().map(|number| &theirs[*number]);
                    if let Some(taken) = compared.find(matches) {
                        self.add(*position, Taking::Expression, *taken);
                        continue;
                    }
                    candidates.has_more
                }
                Err(Unusable::TooLarge) => true,
                Err(Unusable::Invalid) => false,
            };
            if may_match_all {
                self.add(*position, Taking::Perhaps(expression.literal_prefix()), first);
            }
        }
    }

    fn add(&mut self, position: usize, taking: Taking<'r>, theirs: Theirs<'c>) {
        let next = Taken { taking, theirs };
        let is_known_better = self.taken.get(&position).is_some_and(|known| known.rank() <= next.rank());
        if !is_known_better {
            self.taken.insert(position, next);
        }
    }
}

/// The maximum number of Ingresses with a host that are looked at.
const MAX_OTHERS: usize = 256;

/// The maximum number of Ingresses that are looked at in one part, for all its hosts.
const MAX_OTHERS_OF_PART: usize = 2_000;

/// The number of paths of a host after which no further Ingress is looked at.
const MAX_ROUTES: usize = 1_024;
