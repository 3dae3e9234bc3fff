//! `host/order-takes-requests`

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use hashbrown::HashSet;

use super::host_walk::walk;
use super::ordered_routes::{OrderedRoute, matches_glob, ordered_routes};
use super::other_ingress::{OtherIngress, OtherIngresses};
use super::own_rules::{OwnRules, rule_order};
use super::passthrough::Passthrough;
use super::{Rival, own_mark, rival, their_mark};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::{HostBelow, IngressFacts, PlaneInputs, Reach, Relation, RouteFacts};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::rule_order::RuleOrder;
use crate::matching::{Claims, DataPlaneHints, Depth, Host, Mark};

pub static CHECK: Check = Check {
    id: "host/order-takes-requests",
    needs: &[Kind::Ingress, Kind::IngressClass],
    page: include_str!("order_takes_requests.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::DENY)
};

/// A rule of another Ingress that loses requests.
struct Taken<'c> {
    host: &'c str,
    route: &'c RouteFacts,
    other: &'c ObjectRef,
}

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if let Some(passthrough) = Passthrough::of(claims, cx) {
        return passthrough.check(cx, found);
    }
    let order = rule_order(claims, cx);
    if order == RuleOrder::Host || own_mark(claims, cx) == Mark::AcmeSolver {
        return;
    }
    let annotations = DataPlaneHints::order(claims.hints());
    if cx.part.is_first() {
        unreadable(claims, annotations.setting(order), found);
    }
    let mut routes = ordered_routes(claims, annotations.matcher);
    if order == RuleOrder::Fields {
        routes.narrowed.append(&mut routes.all);
    }
    let setting = annotations.setting(order).map(|(key, _)| key);
    let mut reported = HashSet::new();
    for (routes, is_narrowed) in [(&routes.all, false), (&routes.narrowed, true)] {
        let mut seen = HashSet::new();
        let hosts = routes.iter().filter(|ordered| seen.insert(ordered.route.host.parts())).collect();
        let search = Search { claims, cx, order, rules: OnceCell::new(), routes, hosts };
        for (position, taken) in search.first_taken() {
            let ordered = search.hosts[position];
            if reported.insert(ordered.route.host.clone()) {
                let narrowing = match is_narrowed {
                    false => Narrowing::None,
                    // A rule that is certainly tried before one of a host which another namespace owns is a claim to that host.
                    true if order == RuleOrder::Fields && cx.ownership.is_first_namespace() => Narrowing::OfClaim,
                    true => Narrowing::OfRequests,
                };
                report(ordered, setting, narrowing, &taken, found);
            }
        }
    }
}

/// Reports an order that is not a number.
fn unreadable(claims: &Claims<'_>, setting: Option<(&str, bool)>, found: &mut Findings<'_>) {
    if let Some((key, false)) = setting {
        let value = claims.ingress.metadata.annotations.get(key).map_or("", |value| value);
        let template = "value {} is not a number, so it is not known which Ingress is evaluated first";
        found.invalid(At::field("metadata.annotations").key(key), value, template).only_warns();
    }
}

/// The Ingress under review in a data plane that orders its rules.
struct Search<'r, 'c> {
    claims: &'r Claims<'r>,
    cx: &'r Context<'c>,
    order: RuleOrder,
    /// Computed when the first rule of another namespace is compared.
    rules: OnceCell<OwnRules<'r>>,
    /// The rules, with all or some of the requests for their host and path.
    routes: &'r [OrderedRoute<'r>],
    /// The first of them for each host.
    hosts: Vec<&'r OrderedRoute<'r>>,
}

impl<'c> Search<'_, 'c> {
    /// A rule that loses requests, by the position of the own host that takes them: the first by the Ingress and the host.
    fn first_taken(&self) -> BTreeMap<usize, Taken<'c>> {
        let mut others = OtherIngresses::default();
        let mut taken: BTreeMap<usize, Taken<'c>> = BTreeMap::new();
        walk(self.cx, self.reaches().into_iter().enumerate(), |_, below| {
            for (position, route) in self.taken(&below, &others.of(below.facts)) {
                let next = Taken { host: below.host, route, other: &below.facts.object_ref };
                let is_first = |known: &Taken<'_>| (next.other, next.host) < (known.other, known.host);
                if taken.get(&position).is_none_or(is_first) {
                    taken.insert(position, next);
                }
            }
            ControlFlow::Continue(())
        });
        taken
    }

    /// The hosts of which the rules may take requests: the same ones, and those below a wildcard or an absent host. The hosts
    /// one label below a wildcard are left to another check.
    fn reaches(&self) -> Vec<Reach<'_>> {
        let is_wide = |ordered: &&OrderedRoute<'_>| match ordered.route.host {
            Host::Any => true,
            Host::Wildcard(_) => ordered.added_by.is_some() || self.order.wildcard_depth() == Depth::AnyLabels,
            Host::Precise(_) => ordered.is_glob(),
        };
        if self.hosts.iter().any(is_wide) {
            return vec![Reach::All];
        }
        self.hosts.iter().map(|ordered| Reach::Exactly(&ordered.route.host)).collect()
    }

    /// Whether the data plane of another Ingress has this order. That of an Ingress without a class is taken from its
    /// annotations.
    fn orders(&self, other: &IngressFacts) -> bool {
        let served = |class| PlaneInputs { class, hints: other.hints.as_deref() };
        let order = |class| self.cx.data_planes.rule_order(served(class), self.cx.cluster);
        other.classes().any(|class| class.is_none() || order(class) == self.order)
    }

    /// The own hosts whose rules take requests of `other` for the host `below`, each with the rule that loses them.
    fn taken(&self, below: &HostBelow<'c>, other: &OtherIngress<'c>) -> Vec<(usize, &'c RouteFacts)> {
        let host = Host::parse(below.host);
        let is_covered = |ordered: &OrderedRoute<'_>| match &ordered.route.host {
            Host::Any => true,
            Host::Precise(own) if ordered.is_glob() => matches_glob(own, below.host),
            own @ Host::Precise(_) => *own == host,
            own @ Host::Wildcard(_) => {
                // Another check compares these, unless an annotation adds the wildcard.
                let is_sibling = matches!(host, Host::Precise(_)) && own.covers(&host, Depth::OneLabel);
                let is_compared = !is_sibling || ordered.added_by.is_some();
                *own == host || (own.covers(&host, self.order.wildcard_depth()) && is_compared)
            }
        };
        let (mut covering, cx) = ((0..self.hosts.len()).filter(|own| is_covered(self.hosts[*own])), self.cx);
        let first = covering.next();
        let Some(first) = first.filter(|_| their_mark(other.facts, cx) != Mark::AcmeSolver) else { return Vec::new() };
        let is_served = other.nearest(self.claims, cx).relation == Relation::Same && self.orders(other.facts);
        if !is_served || rival(&host, &other.facts.object_ref, other.facts.created, cx) != Some(Rival::Holder) {
            return Vec::new();
        }
        let routes = || self.routes.iter().map(|ordered| (&ordered.route, ordered.added_by.is_none()));
        let rules = self.rules.get_or_init(|| OwnRules::new(routes(), self.claims, self.order, cx.this));
        let covering = [first].into_iter().chain(covering);
        let is_owned = cx.ownership.is_first_namespace();
        covering
            .filter_map(|own| Some((own, rules.taken(&self.hosts[own].route.host, &host, other, is_owned)?)))
            .collect()
    }
}

/// Which requests rules match, of those for their host and path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Narrowing {
    /// All of them.
    None,
    /// Those that meet conditions.
    OfRequests,
    /// The same, in a plane where they precede every rule with fewer conditions, of hosts that belong to a namespace each.
    OfClaim,
}

/// Reports the rules for a host at the annotation that sets their place or adds the host, or else at the host. Those that match
/// only some requests are a warning, since their conditions may tell the requests of two teams apart, unless they are a claim of a less
/// specific host.
fn report(
    ordered: &OrderedRoute<'_>,
    setting: Option<&str>,
    narrowing: Narrowing,
    taken: &Taken<'_>,
    found: &mut Findings<'_>,
) {
    let (Taken { host, route: theirs, other }, route) = (taken, &ordered.route);
    let setting = setting.or(ordered.added_by);
    let at = setting.map_or(route.host_at.into(), |key| At::field("metadata.annotations").key(key));
    let own = route.host.to_string();
    let is_same_host = own == *host;
    let template = match (is_same_host, &route.host, setting) {
        _ if narrowing != Narrowing::None => {
            "requests for {} that meet the conditions reach these rules before {other}: use hosts and paths of your own"
        }
        (true, _, Some(_)) => {
            "rules on {} take all requests for {} of {other} by this annotation: change it, or use paths of your own"
        }
        (true, _, None) => {
            "rules on {} take all requests for {} of {other}, which comes later in the order: use paths of your own"
        }
        (false, Host::Any, Some(_)) => {
            "rules without a host take requests for {} from {other} by this annotation: change it, or name your hosts"
        }
        (false, Host::Any, None) => "rules without a host take requests for {} before {other} does: name your hosts",
        (false, _, Some(_)) if ordered.is_glob() => {
            "hosts that a condition adds take requests for {} from {other}: list your hosts, or change the order"
        }
        (false, _, Some(_)) => {
            "wildcard {} takes requests for {} from {other} by this annotation: change it, or list your hosts"
        }
        (false, _, None) => "wildcard {} takes requests for {} before {other} does: list your hosts instead",
    };
    let identity = format!("{own} {host}");
    let finding = found.duplicate(at, &identity, template);
    let finding = match (is_same_host, &route.host) {
        _ if narrowing != Narrowing::None => finding.args([""; 0]).redactable(host, "a host"),
        (true, _) => finding.args([&own]).redactable(&theirs.path, "a path"),
        (false, Host::Any) => finding.args([""; 0]).redactable(host, "a host"),
        _ if ordered.is_glob() => finding.args([""; 0]).redactable(host, "a host"),
        (false, _) => finding.args([&own]).redactable(host, "a host"),
    };
    let finding = finding.other(other).claim(&own, None);
    if narrowing == Narrowing::OfRequests || (narrowing == Narrowing::OfClaim && is_same_host) {
        finding.only_warns();
    }
}
