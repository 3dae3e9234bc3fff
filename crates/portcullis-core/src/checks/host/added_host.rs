//! Hosts that an annotation adds to all rules of an Ingress, and that another Ingress serves, by a rule or by an annotation of its own: a
//! part of `host/path-conflict`.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use super::rival;
use super::twin::{Conflict, Label, Twin, labeled, twin};
use crate::checks::Context;
use crate::cluster::{IngressFacts, Nearest, RouteFacts, Served};
use crate::field::FieldPath;
use crate::finding::Findings;
use crate::matching::alias::{Alias, Contest};
use crate::matching::path_reading::{Likeness, Spelled, likeness};
use crate::matching::{Claims, Host, HostClaim};

/// By what each of two Ingresses has the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// The Ingress under review by an annotation, the other by a rule.
    AliasBesideRule,
    /// The other way round.
    RuleBesideAlias,
    /// Both by an annotation.
    AliasBesideAlias,
}

/// Another Ingress with a host of the one under review.
struct Meeting<'c> {
    twin: Twin,
    other: &'c IngressFacts,
    nearest: Nearest<'c>,
    holds: Holds,
    /// The route of the other in the way; none where the controller decides by the host alone.
    route: Option<&'c RouteFacts>,
}

impl<'c> Meeting<'c> {
    /// The gravest first, of these the oldest, which is the one in the way, then by name.
    fn rank(&self) -> impl Ord + use<'c> {
        let other = self.other;
        let by_path = self.route.map(|route| (route.kind, &*route.path));
        (self.twin, other.created.is_none(), other.created, &other.object_ref, by_path)
    }
}

/// What of the Ingress under review meets others.
#[derive(Default)]
struct Own<'p> {
    /// The hosts of its rules.
    hosts: HashSet<Host<'p>>,
    /// The paths of these hosts, each with its position among the routes, by what some controller reads alike.
    paths: HashMap<&'p str, Vec<(Spelled<'p>, usize)>>,
}

impl<'p> Own<'p> {
    fn of(claims: &'p Claims<'_>, positions: impl Iterator<Item = usize>) -> Self {
        let mut own = Self::default();
        for position in positions {
            let route = &claims.routes[position];
            own.hosts.insert(route.host.clone());
            let Some(path) = &route.path else { continue };
            let path = path.spelled(claims.spelling(route));
            let alike = own.paths.entry(Spelled::key(path.kind, path.text)).or_default();
            // Few differ in nothing but their type.
            if !alike.iter().any(|(known, _)| known.kind == path.kind && known.text == path.text) {
                alike.push((path, position));
            }
        }
        own
    }
}

/// Reports the hosts of annotations whose requests another Ingress has already, and the hosts of rules that annotations of others add.
pub(super) fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let adds = claims.aliases.iter().any(|aliased| aliased.alias.adds_to_rules());
    if adds {
        of_annotations(claims, cx, found);
    }
    if cx.cluster.has_added_hosts() {
        of_rules(claims, cx, found);
    }
}

/// The hosts that annotations of the Ingress under review add.
fn of_annotations(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let own = Own::of(claims, 0..claims.routes.len());
    let mut judged = HashSet::new();
    for aliased in claims.aliases.iter().filter(|aliased| aliased.alias.adds_to_rules()) {
        for claim in aliased.claims(&claims.hosts).into_iter().filter(HostClaim::is_served) {
            if own.hosts.contains(&claim.host) || !judged.insert(claim.host.clone()) || !cx.cluster.steps().are_left() {
                continue;
            }
            let host = &claim.host;
            let by_rule = cx.cluster.ingresses_with_host(host);
            let by_rule = by_rule.map(|other| (other, Holds::AliasBesideRule, [aliased.alias; 2]));
            let by_alias = cx.cluster.ingresses_adding_host(host);
            let by_alias = by_alias.map(|(other, theirs)| (other, Holds::AliasBesideAlias, [aliased.alias, theirs]));
            let meetings = by_rule.chain(by_alias).flat_map(|(other, holds, aliases)| {
                meetings(claims, host, &own, (other, holds, aliases), cx).into_iter().map(|(_, meeting)| meeting)
            });
            if let Some(meeting) = meetings.min_by(|one, other| one.rank().cmp(&other.rank())) {
                report(claims, host, claim.at.into(), &meeting, cx, found);
            }
        }
    }
}

/// The hosts of rules, as far as annotations of other Ingresses add them.
fn of_rules(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let mut positions: Vec<usize> = (0..claims.routes.len()).collect();
    positions.sort_by_key(|position| claims.routes[*position].host.parts());
    for alike in positions.chunk_by(|one, other| claims.routes[*one].host == claims.routes[*other].host) {
        let first = &claims.routes[alike[0]];
        let mut others = cx.cluster.ingresses_adding_host(&first.host).peekable();
        if others.peek().is_none() || !cx.cluster.steps().are_left() {
            continue;
        }
        let own = Own::of(claims, alike.iter().copied());
        let mut met: BTreeMap<Option<usize>, Meeting<'_>> = BTreeMap::new();
        for (other, theirs) in others {
            let holder = (other, Holds::RuleBesideAlias, [theirs; 2]);
            for (position, meeting) in meetings(claims, &first.host, &own, holder, cx) {
                let position = meeting.route.map(|_| position);
                if met.get(&position).is_none_or(|known| meeting.rank() < known.rank()) {
                    met.insert(position, meeting);
                }
            }
        }
        for (position, meeting) in met {
            let of_path = |position: usize| claims.routes[position].at.then("path");
            let at = position.map_or_else(|| first.host_at.into(), of_path);
            report(claims, &first.host, at, &meeting, cx, found);
        }
    }
}

fn report(
    claims: &Claims<'_>,
    host: &Host<'_>,
    at: FieldPath,
    meeting: &Meeting<'_>,
    cx: &Context<'_>,
    found: &mut Findings<'_>,
) {
    let Meeting { twin, other, nearest, holds, route } = meeting;
    let conflict = Conflict::new(claims, *twin, other, *nearest);
    let class = conflict.class(String::new());
    let name = host.to_string();
    let Some(route) = route else {
        let template = match holds {
            Holds::AliasBesideRule => {
                labeled!(conflict.label, "host {} has a rule in {other} ", ", so the controller ignores this alias")
            }
            Holds::RuleBesideAlias => {
                labeled!(conflict.label, "host {} is an alias in {other} ", ", which this rule replaces")
            }
            Holds::AliasBesideAlias => {
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
    if *twin != Twin::Stranger {
        finding.only_warns();
    }
}

/// What becomes of `host` where `other` has it too, each with the position of the own route that is concerned. `aliases` are the
/// annotations of the two, or twice the only one.
fn meetings<'c>(
    claims: &Claims<'_>,
    host: &Host<'_>,
    own: &Own<'_>,
    (other, holds, aliases): (&'c IngressFacts, Holds, [&'static Alias; 2]),
    cx: &Context<'_>,
) -> Vec<(usize, Meeting<'c>)> {
    if !cx.cluster.take_steps(&other.object_ref, other.routes.len()) {
        return Vec::new();
    }
    let nearest = cx.data_planes.nearest(claims, other, cx.cluster);
    let rival = || rival(host, &other.object_ref, other.created, cx);
    let Some(twin) = twin(claims, other, nearest.relation, rival, cx) else { return Vec::new() };
    let served = Served { class: nearest.class, balancer: other.balancer.as_deref() };
    let controller = cx.data_planes.controller(claims, served, cx.cluster);
    if aliases.iter().any(|alias| !alias.is_read_by(&[controller])) {
        return Vec::new();
    }
    let contest = aliases[0].contest(controller);
    if contest == Contest::Yields {
        // Another process of the same controller would serve both, and so does one server for two Ingresses with a host in common.
        let is_one_server =
            || holds == Holds::AliasBesideAlias && other.routes.iter().any(|theirs| own.hosts.contains(&theirs.host()));
        let is_met = twin != Twin::Related && !is_one_server();
        return is_met.then_some((0, Meeting { twin, other, nearest, holds, route: None })).into_iter().collect();
    }
    let is_theirs = |route: &&RouteFacts| match holds {
        Holds::AliasBesideRule => route.host() == *host,
        Holds::RuleBesideAlias | Holds::AliasBesideAlias => !route.spelling.is_default_backend,
    };
    let mut met = Vec::new();
    for route in other.routes.iter().filter(is_theirs) {
        for (path, position) in own.paths.get(Spelled::key(route.kind, &route.path)).into_iter().flatten() {
            let twin = match (likeness(*path, route.spelled(), controller), twin) {
                (Likeness::Different, _) => continue,
                (_, Twin::Squatter | Twin::Related) => twin,
                (Likeness::Same, _) if contest == Contest::Equal => twin,
                // Nothing tells whether the two meet.
                (_, Twin::Neighbor) => continue,
                (_, Twin::Stranger | Twin::Alike) => Twin::Alike,
            };
            met.push((*position, Meeting { twin, other, nearest, holds, route: Some(route) }));
        }
    }
    met
}
