//! Part of `host/path-conflict`: hosts that an annotation adds to all rules of an Ingress, where another Ingress also
//! has the host in a rule or in an annotation.

use std::cell::RefCell;

use hashbrown::{HashMap, HashSet};

use super::ingress_rivals::IngressRivals;
use super::path_relation::{ClassLabel, PathConflict, PathRelation, labeled, path_relation};
use super::rival;
use crate::checks::Context;
use crate::cluster::{ClosestRelation, IngressFacts, RouteFacts};
use crate::field::FieldPath;
use crate::finding::Findings;
use crate::matching::alias::{Alias, AliasPrecedence};
use crate::matching::path_interpretation::{NotatedPath, PathEquality, path_equality};
use crate::matching::{ClaimedHost, Claims, Host, Readers};

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

impl HostSources {
    /// The sources if `alias` adds the host to the Ingress under review and `theirs`, or a rule, to the other; and the
    /// annotations of both.
    fn of_alias(alias: &'static Alias, theirs: Option<&'static Alias>) -> (Self, [&'static Alias; 2]) {
        match theirs {
            Some(theirs) => (Self::AliasBesideAlias, [alias, theirs]),
            None => (Self::AliasBesideRule, [alias; 2]),
        }
    }
}

/// Another Ingress that has a host of the Ingress under review.
struct AddedHostConflict<'c> {
    path_relation: PathRelation,
    other: &'c IngressFacts,
    nearest: ClosestRelation<'c>,
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

/// Reports hosts in annotations that another Ingress also has, and hosts in rules that annotations of other Ingresses
/// add.
pub(super) fn check<'c>(
    claims: &Claims<'_>,
    rivals: &IngressRivals<'_, 'c>,
    cx: &Context<'c>,
    found: &mut Findings<'_>,
) {
    let search = Search { claims, rivals, cx, one_server: RefCell::default() };
    if claims.aliases.iter().any(|aliased| aliased.alias.adds_to_rules()) {
        search.of_annotations(found);
    }
    if cx.cluster.has_added_hosts() {
        search.of_rules(found);
    }
}

/// The search for hosts that annotations add.
struct Search<'s, 'c> {
    claims: &'s Claims<'s>,
    rivals: &'s IngressRivals<'s, 'c>,
    cx: &'s Context<'c>,
    /// Whether another Ingress has a host in common with the rules of the one under review.
    one_server: RefCell<HashMap<*const IngressFacts, bool>>,
}

impl<'c> Search<'_, 'c> {
    /// Checks the hosts that annotations of the Ingress under review add.
    fn of_annotations(&self, found: &mut Findings<'_>) {
        let Self { claims, cx, .. } = self;
        let own: HashSet<&Host<'_>> = claims.routes.iter().map(|route| &route.host).collect();
        let aliased = claims.aliases.iter().filter(|aliased| aliased.alias.adds_to_rules());
        let served = aliased.flat_map(|aliased| {
            let served = aliased.claims(&claims.hosts).into_iter().filter(ClaimedHost::is_served);
            served.map(|claim| (aliased.alias, claim))
        });
        let mut seen = HashSet::new();
        let added: Vec<(&'static Alias, ClaimedHost<'_>)> =
            served.filter(|(_, claim)| !own.contains(&claim.host) && seen.insert(claim.host.clone())).collect();
        for (alias, claim) in cx.part.of_weighted(&added, claims.distinct().len()) {
            let others = cx.cluster.ingress_holders(&claim.host);
            let by_host = others.iter().filter_map(|(other, theirs)| {
                let (sources, aliases) = HostSources::of_alias(alias, *theirs);
                self.at_host(&claim.host, other, sources, aliases, &own)
            });
            // Without another Ingress that has the host, none of the paths can conflict.
            let positions = if others.is_empty() { &[][..] } else { claims.distinct() };
            let by_path = positions.iter().flat_map(|position| self.at_path(&claim.host, *position, Some(alias)));
            if let Some(conflict) = by_host.chain(by_path).min_by(|one, other| one.rank().cmp(&other.rank())) {
                report(claims, &claim.host, claim.at.into(), &conflict, cx, found);
            }
        }
    }

    /// Checks the hosts of rules that annotations of other Ingresses add.
    fn of_rules(&self, found: &mut Findings<'_>) {
        let Self { claims, cx, .. } = self;
        for position in cx.part.of(claims.distinct()) {
            let route = &claims.routes[*position];
            let by_path = self.at_path(&route.host, *position, None).min_by(|one, other| one.rank().cmp(&other.rank()));
            if let Some(conflict) = by_path {
                report(claims, &route.host, route.at.then("path"), &conflict, cx, found);
            }
        }
        for position in cx.part.of(claims.first_by_host()) {
            let route = &claims.routes[*position];
            let others = cx.cluster.ingress_holders(&route.host).into_iter();
            let by_host = others.filter_map(|(other, theirs)| {
                self.at_host(&route.host, other, HostSources::RuleBesideAlias, [theirs?; 2], &HashSet::new())
            });
            if let Some(conflict) = by_host.min_by(|one, other| one.rank().cmp(&other.rank())) {
                report(claims, &route.host, route.host_at.into(), &conflict, cx, found);
            }
        }
    }

    /// The conflict with `other` over a host as a whole, where one annotation gives way to the other Ingress. `aliases`
    /// are the annotations of both Ingresses, or the same one twice if only one of them has an annotation; `own` are the
    /// hosts of the rules of the Ingress under review.
    fn at_host(
        &self,
        host: &Host<'_>,
        other: &'c IngressFacts,
        sources: HostSources,
        aliases: [&'static Alias; 2],
        own: &HashSet<&Host<'_>>,
    ) -> Option<AddedHostConflict<'c>> {
        let (path_relation, nearest, precedence, _) = self.relation(host, other, aliases)?;
        // Nothing conflicts if another process of the same controller may serve `other`, or if both Ingresses add the
        // alias to a host that they share, since one server then serves both.
        let conflicts = precedence == AliasPrecedence::Yields
            && path_relation != PathRelation::Related
            && !(sources == HostSources::AliasBesideAlias && self.is_one_server(other, own));
        conflicts.then_some(AddedHostConflict { path_relation, other, nearest, sources, route: None })
    }

    /// The conflicts over a host and the path of one route, where an annotation counts like a rule. `alias` is the
    /// annotation of the Ingress under review that adds the host; `None` for the host of a rule.
    fn at_path(
        &self,
        host: &Host<'_>,
        position: usize,
        alias: Option<&'static Alias>,
    ) -> impl Iterator<Item = AddedHostConflict<'c>> {
        let route = &self.claims.routes[position];
        let path = route.path.as_ref().map(|path| path.notated(self.claims.notation(route)));
        let claims = path.into_iter().flat_map(|path| self.rivals.at(host, path).map(move |theirs| (path, theirs)));
        claims.filter_map(move |(path, theirs)| {
            let (sources, aliases) = match alias {
                Some(alias) => HostSources::of_alias(alias, theirs.alias),
                None => (HostSources::RuleBesideAlias, [theirs.alias?; 2]),
            };
            let other = theirs.facts;
            let (path_relation, nearest, precedence, readers) = self.relation(host, other, aliases)?;
            if precedence == AliasPrecedence::Yields {
                return None;
            }
            let path_equality = path_equality(path, theirs.route.notated(), readers);
            let path_relation = of_paths(path_equality, path_relation, precedence)?;
            Some(AddedHostConflict { path_relation, other, nearest, sources, route: Some(theirs.route) })
        })
    }

    /// How `other` relates to the Ingress under review with regard to `host`, and how their controller treats the
    /// annotations; `None` if it does not read them, or if the two do not compete.
    fn relation(
        &self,
        host: &Host<'_>,
        other: &'c IngressFacts,
        aliases: [&'static Alias; 2],
    ) -> Option<(PathRelation, ClosestRelation<'c>, AliasPrecedence, Readers)> {
        let Self { claims, rivals, cx, .. } = self;
        let nearest = rivals.nearest(other);
        let rival = || rival(host, &other.object_ref, other.created, cx);
        let path_relation = path_relation(claims, other, nearest.relation, rival, cx)?;
        let readers = rivals.controller(other, nearest);
        let is_read = aliases.iter().all(|alias| alias.is_read_by(&[readers]));
        is_read.then(|| (path_relation, nearest, aliases[0].precedence(readers.known()), readers))
    }

    fn is_one_server(&self, other: &IngressFacts, own: &HashSet<&Host<'_>>) -> bool {
        let mut known = self.one_server.borrow_mut();
        *known.entry(other).or_insert_with(|| other.routes.iter().any(|theirs| own.contains(&theirs.host())))
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
        found.duplicate(at, &name, template).args(args).other(&other.object_ref).only_warns().claim(&name, None);
        return;
    };
    let identity = format!("{name} {} {}", route.kind, route.path);
    let finding = found.duplicate(at, &identity, conflict.template(host, cx));
    finding.claim(&name, Some(NotatedPath::key(route.kind, &route.path)));
    finding.args([route.path.to_string(), name].into_iter().chain(class)).other(&other.object_ref);
    if *path_relation != PathRelation::OtherNamespace {
        finding.only_warns();
    }
}

/// How the other Ingress relates to this one with regard to two paths that are equal to this degree; `None` without a conflict.
fn of_paths(
    path_equality: PathEquality,
    path_relation: PathRelation,
    precedence: AliasPrecedence,
) -> Option<PathRelation> {
    match (path_equality, path_relation) {
        (PathEquality::Different, _) => None,
        (_, PathRelation::Squatter | PathRelation::Related) => Some(path_relation),
        (PathEquality::Same, _) if precedence == AliasPrecedence::Equal => Some(path_relation),
        // It is unknown whether the two conflict, which is not reported within one namespace.
        (_, PathRelation::Neighbor) => None,
        (_, PathRelation::OtherNamespace | PathRelation::PossiblyEqual) => Some(PathRelation::PossiblyEqual),
    }
}
