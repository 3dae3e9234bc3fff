//! Part of `host/path-conflict`: hosts that an annotation adds to all rules of an Ingress, where another Ingress also
//! has the host in a rule or in an annotation.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use super::path_relation::{ClassLabel, PathConflict, PathRelation, labeled, path_relation};
use super::rival;
use crate::checks::Context;
use crate::cluster::{IngressFacts, Nearest, RouteFacts, Served};
use crate::field::FieldPath;
use crate::finding::Findings;
use crate::matching::alias::{Alias, AliasPrecedence};
use crate::matching::path_interpretation::{Likeness, NotatedPath, likeness};
use crate::matching::{Claims, Host, HostClaim};

/// How each of the two Ingresses has the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HostSources {
    /// The Ingress under review has it by an annotation, the other by a rule.
    AliasBesideRule,
    /// The Ingress under review by a rule, the other by an annotation.
    RuleBesideAlias,
    /// Both have it by an annotation.
    AliasBesideAlias,
}

/// Another Ingress that has a host of the Ingress under review.
struct AddedHostConflict<'c> {
    path_relation: PathRelation,
    other: &'c IngressFacts,
    nearest: Nearest<'c>,
    sources: HostSources,
    /// The conflicting route of the other Ingress; `None` if the controller decides by the host alone.
    route: Option<&'c RouteFacts>,
}

impl<'c> AddedHostConflict<'c> {
    /// Sorts the most serious conflict first, then the oldest Ingress, since that one blocks the object under review,
    /// then by name.
    fn rank(&self) -> impl Ord + use<'c> {
        let other = self.other;
        let by_path = self.route.map(|route| (route.kind, &*route.path));
        (self.path_relation, other.created.is_none(), other.created, &other.object_ref, by_path)
    }
}

/// The hosts and paths of the Ingress under review that can conflict with others.
#[derive(Default)]
struct OwnRoutes<'p> {
    /// The hosts of its rules.
    hosts: HashSet<Host<'p>>,
    /// The paths of these hosts, each with the position of its route. Paths that some controller may treat as equal
    /// have the same key.
    paths: HashMap<&'p str, Vec<(NotatedPath<'p>, usize)>>,
}

impl<'p> OwnRoutes<'p> {
    fn of(claims: &'p Claims<'_>, positions: impl Iterator<Item = usize>) -> Self {
        let mut own = Self::default();
        for position in positions {
            let route = &claims.routes[position];
            own.hosts.insert(route.host.clone());
            let Some(path) = &route.path else { continue };
            let path = path.notated(claims.notation(route));
            let alike = own.paths.entry(NotatedPath::key(path.kind, path.text)).or_default();
            // A linear search is enough: the entries of one key differ in little more than their path type.
            if !alike.iter().any(|(known, _)| known.kind == path.kind && known.text == path.text) {
                alike.push((path, position));
            }
        }
        own
    }
}

/// Reports hosts in annotations that another Ingress also has, and hosts in rules that annotations of other Ingresses
/// add.
pub(super) fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let adds = claims.aliases.iter().any(|aliased| aliased.alias.adds_to_rules());
    if adds {
        of_annotations(claims, cx, found);
    }
    if cx.cluster.has_added_hosts() {
        of_rules(claims, cx, found);
    }
}

/// Checks the hosts that annotations of the Ingress under review add.
fn of_annotations(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let own = OwnRoutes::of(claims, 0..claims.routes.len());
    let mut seen = HashSet::new();
    for aliased in claims.aliases.iter().filter(|aliased| aliased.alias.adds_to_rules()) {
        for claim in aliased.claims(&claims.hosts).into_iter().filter(HostClaim::is_served) {
            if own.hosts.contains(&claim.host) || !seen.insert(claim.host.clone()) || !cx.cluster.steps().are_left() {
                continue;
            }
            let host = &claim.host;
            let by_rule = cx.cluster.ingresses_with_host(host);
            let by_rule = by_rule.map(|other| (other, HostSources::AliasBesideRule, [aliased.alias; 2]));
            let by_alias = cx.cluster.ingresses_adding_host(host);
            let by_alias = by_alias
                .map(|(other, other_alias)| (other, HostSources::AliasBesideAlias, [aliased.alias, other_alias]));
            let conflicts = by_rule.chain(by_alias).flat_map(|(other, sources, aliases)| {
                conflicts(claims, host, &own, (other, sources, aliases), cx).into_iter().map(|(_, conflict)| conflict)
            });
            if let Some(conflict) = conflicts.min_by(|one, other| one.rank().cmp(&other.rank())) {
                report(claims, host, claim.at.into(), &conflict, cx, found);
            }
        }
    }
}

/// Checks the hosts of rules that annotations of other Ingresses add.
fn of_rules(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let mut positions: Vec<usize> = (0..claims.routes.len()).collect();
    positions.sort_by_key(|position| claims.routes[*position].host.parts());
    for alike in positions.chunk_by(|one, other| claims.routes[*one].host == claims.routes[*other].host) {
        let first = &claims.routes[alike[0]];
        let mut others = cx.cluster.ingresses_adding_host(&first.host).peekable();
        if others.peek().is_none() || !cx.cluster.steps().are_left() {
            continue;
        }
        let own = OwnRoutes::of(claims, alike.iter().copied());
        let mut met: BTreeMap<Option<usize>, AddedHostConflict<'_>> = BTreeMap::new();
        for (other, other_alias) in others {
            let holder = (other, HostSources::RuleBesideAlias, [other_alias; 2]);
            for (position, conflict) in conflicts(claims, &first.host, &own, holder, cx) {
                let position = conflict.route.map(|_| position);
                if met.get(&position).is_none_or(|known| conflict.rank() < known.rank()) {
                    met.insert(position, conflict);
                }
            }
        }
        for (position, conflict) in met {
            let of_path = |position: usize| claims.routes[position].at.then("path");
            let at = position.map_or_else(|| first.host_at.into(), of_path);
            report(claims, &first.host, at, &conflict, cx, found);
        }
    }
}

fn report(
    claims: &Claims<'_>,
    host: &Host<'_>,
    at: FieldPath,
    conflict: &AddedHostConflict<'_>,
    cx: &Context<'_>,
    found: &mut Findings<'_>,
) {
    let AddedHostConflict { path_relation, other, nearest, sources, route } = conflict;
    let conflict = PathConflict::new(claims, *path_relation, other, *nearest);
    let class = conflict.class(String::new());
    let name = host.to_string();
    let Some(route) = route else {
        let template = match sources {
            HostSources::AliasBesideRule => {
                labeled!(conflict.label, "host {} has a rule in {other} ", ", so the controller ignores this alias")
            }
            HostSources::RuleBesideAlias => {
                labeled!(conflict.label, "host {} is an alias in {other} ", ", which this rule replaces")
            }
            HostSources::AliasBesideAlias => {
                labeled!(conflict.label, "host {} is also an alias in {other} ", ", and only one of the two is served")
            }
        };
        let args = std::iter::once(name.clone()).chain(class);
        found.duplicate(at, &name, template).args(args).other(&other.object_ref).only_warns();
        return;
    };
    let identity = format!("{name} {} {}", route.kind, route.path);
    let finding = found.duplicate(at, &identity, conflict.template(host, cx));
    finding.args([route.path.to_string(), name].into_iter().chain(class)).other(&other.object_ref);
    if *path_relation != PathRelation::OtherNamespace {
        finding.only_warns();
    }
}

/// The conflicts with `other` over `host`, each with the position of the route of this Ingress that is concerned.
/// `aliases` are the annotations of both Ingresses, or the same one twice if only one of them has an annotation.
fn conflicts<'c>(
    claims: &Claims<'_>,
    host: &Host<'_>,
    own: &OwnRoutes<'_>,
    (other, sources, aliases): (&'c IngressFacts, HostSources, [&'static Alias; 2]),
    cx: &Context<'_>,
) -> Vec<(usize, AddedHostConflict<'c>)> {
    if !cx.cluster.take_steps(&other.object_ref, other.routes.len()) {
        return Vec::new();
    }
    let nearest = cx.data_planes.nearest(claims, other, cx.cluster);
    let rival = || rival(host, &other.object_ref, other.created, cx);
    let Some(path_relation) = path_relation(claims, other, nearest.relation, rival, cx) else { return Vec::new() };
    let served = Served { class: nearest.class, hints: other.hints.as_deref() };
    let controller = cx.data_planes.controller(claims, served, cx.cluster);
    if aliases.iter().any(|alias| !alias.is_read_by(&[controller])) {
        return Vec::new();
    }
    let precedence = aliases[0].precedence(controller);
    if precedence == AliasPrecedence::Yields {
        // Nothing conflicts if another process of the same controller may serve `other`, or if both Ingresses add
        // the alias to a host that they share, since one server then serves both.
        let is_one_server = || {
            sources == HostSources::AliasBesideAlias
                && other.routes.iter().any(|theirs| own.hosts.contains(&theirs.host()))
        };
        let is_met = path_relation != PathRelation::Related && !is_one_server();
        return is_met
            .then_some((0, AddedHostConflict { path_relation, other, nearest, sources, route: None }))
            .into_iter()
            .collect();
    }
    let is_theirs = |route: &&RouteFacts| match sources {
        HostSources::AliasBesideRule => route.host() == *host,
        HostSources::RuleBesideAlias | HostSources::AliasBesideAlias => !route.notation.is_default_backend,
    };
    let mut met = Vec::new();
    for route in other.routes.iter().filter(is_theirs) {
        for (path, position) in own.paths.get(NotatedPath::key(route.kind, &route.path)).into_iter().flatten() {
            if let Some(path_relation) =
                of_paths(likeness(*path, route.notated(), controller), path_relation, precedence)
            {
                met.push((*position, AddedHostConflict { path_relation, other, nearest, sources, route: Some(route) }));
            }
        }
    }
    met
}

/// How the other Ingress relates to this one with regard to two paths of this likeness; `None` without a conflict.
fn of_paths(likeness: Likeness, path_relation: PathRelation, precedence: AliasPrecedence) -> Option<PathRelation> {
    match (likeness, path_relation) {
        (Likeness::Different, _) => None,
        (_, PathRelation::Squatter | PathRelation::Related) => Some(path_relation),
        (Likeness::Same, _) if precedence == AliasPrecedence::Equal => Some(path_relation),
        // It is unknown whether the two conflict, which is not reported within one namespace.
        (_, PathRelation::Neighbor) => None,
        (_, PathRelation::OtherNamespace | PathRelation::PossiblyEqual) => Some(PathRelation::PossiblyEqual),
    }
}
