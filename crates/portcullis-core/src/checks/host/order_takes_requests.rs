//! `host/order-takes-requests`

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use hashbrown::{HashMap, HashSet};

use super::host_walk::walk;
use super::ordered_routes::{OrderedRoute, ordered_routes};
use super::other_ingress::{OtherIngress, OtherIngresses};
use super::own_rules::{OwnRules, rule_order};
use super::passthrough::Passthrough;
use super::{Rival, own_mark, rival, their_mark};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::ownership::OwnershipDecision;
use crate::cluster::{HostBelow, IngressFacts, PlaneInputs, Reach, Relation, RouteFacts};
use crate::field::At;
use crate::finding::{Finding, Findings};
use crate::kinds::{Kind, ObjectRef};
use crate::matching::alias::Alias;
use crate::matching::glob::Glob;
use crate::matching::order_annotations::Matcher;
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
    /// Whether that is only a warning.
    warns: bool,
    host: &'c str,
    route: &'c RouteFacts,
    other: &'c ObjectRef,
}

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if let Some(passthrough) = Passthrough::of(claims, cx) {
        return passthrough.check(cx, found);
    }
    let order = rule_order(claims, cx);
    let annotations = DataPlaneHints::order(claims.hints());
    let is_placed = || annotations.setting(order).is_some() || cx.ownership.is_first_namespace();
    // Without an owner of the host, a longer path is as good as a host.
    let is_decided = order == RuleOrder::Host || (order == RuleOrder::Path && !is_placed());
    if is_decided || own_mark(claims, cx) == Mark::AcmeSolver {
        return;
    }
    if cx.part.is_first() {
        unreadable(claims, annotations.setting(order), found);
    }
    let mut routes = ordered_routes(claims, order);
    if order == RuleOrder::Fields && annotations.kong.add_fields() {
        routes.narrowed.append(&mut routes.all);
    }
    let setting = annotations.setting(order).map(|(key, _)| key);
    let mut reported = HashMap::new();
    let lists = [
        (&routes.all, Matched::All),
        (&routes.narrowed, Matched::ByConditions),
        (&routes.bound, Matched::ByExpression),
    ];
    for (routes, matched) in lists {
        let mut seen = HashSet::new();
        let hosts = routes.iter().filter(|ordered| seen.insert(ordered.route.host.parts())).collect();
        let search = Search { claims, cx, order, matched, setting, rules: OnceCell::new(), routes, hosts };
        for (position, taken) in search.first_taken() {
            let ordered = search.hosts[position];
            // A denial is reported beside a warning.
            if reported.get(&ordered.route.host).is_some_and(|denies| *denies || taken.warns) {
                continue;
            }
            reported.insert(ordered.route.host.clone(), !taken.warns);
            let finding = report(ordered, setting, matched, &taken, found);
            if taken.warns {
                finding.only_warns();
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
    matched: Matched,
    /// The annotation that sets the place of the rules.
    setting: Option<&'r str>,
    /// Computed when the first rule of another namespace is compared.
    rules: OnceCell<OwnRules<'r>>,
    /// The rules, with all or some of the requests for their host and path.
    routes: &'r [OrderedRoute<'r>],
    /// The first of them for each host.
    hosts: Vec<&'r OrderedRoute<'r>>,
}

impl<'c> Search<'_, 'c> {
    /// A rule that loses requests, by the position of the own host that takes them: the first by the Ingress and the host, of those that
    /// are denied if there are any.
    fn first_taken(&self) -> BTreeMap<usize, Taken<'c>> {
        let mut others = OtherIngresses::default();
        let mut taken: BTreeMap<usize, Taken<'c>> = BTreeMap::new();
        walk(self.cx, self.reaches().into_iter().enumerate(), |_, below| {
            for (position, route) in self.taken(&below, &others.of(below.facts)) {
                let warns = self.only_warns(&self.hosts[position].route.host, &Host::parse(below.host));
                let next = Taken { warns, host: below.host, route, other: &below.facts.object_ref };
                let key = |one: &Taken<'c>| (one.warns, one.other, one.host);
                let is_first = |known: &Taken<'c>| key(&next) < key(known);
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
            Host::Wildcard(_) => ordered.added_by.is_some() || self.depth() == Depth::AnyLabels,
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

    /// How many labels a wildcard matches. That of an expression stands for all hosts that end like it.
    fn depth(&self) -> Depth {
        match self.matched {
            Matched::ByExpression => Depth::AnyLabels,
            Matched::All | Matched::ByConditions => self.order.wildcard_depth(),
        }
    }

    /// Whether an annotation of the Ingress gives rules for `own` a place before those for the host `theirs`. A matcher of
    /// Traefik may make a rule longer than one for a more specific host.
    fn is_placed(&self, own: &Host<'_>, theirs: &Host<'_>) -> bool {
        self.setting.is_some()
            || self.order == RuleOrder::Fields
            || (self.order == RuleOrder::Priority && own != theirs)
    }

    /// Whether rules for `own` are compared with those for the host `theirs`: those with an expression only if an annotation gives them a
    /// place, since others may tell the requests of two teams apart.
    fn counts(&self, own: &Host<'_>, theirs: &Host<'_>) -> bool {
        self.matched != Matched::ByExpression || self.is_placed(own, theirs)
    }

    /// Whether rules that take requests for a host are only a warning: those that match some of its requests, which may tell the requests of
    /// two teams apart, unless the first namespace owns the host and theirs is less specific, which makes them a claim; and those for a host
    /// that an entry of `hostOwnership` gives to both namespaces.
    fn only_warns(&self, own: &Host<'_>, theirs: &Host<'_>) -> bool {
        let is_claim = || self.cx.ownership.is_first_namespace() && own != theirs && self.is_placed(own, theirs);
        let is_narrowed = self.matched != Matched::All && !is_claim();
        // That the controller looks up the path first is only known by its name.
        let is_assumed = self.order == RuleOrder::Path && self.setting.is_none();
        is_narrowed || is_assumed || is_given(theirs, self.cx)
    }

    /// The own hosts whose rules take requests of `other` for the host `below`, each with the rule that loses them.
    fn taken(&self, below: &HostBelow<'c>, other: &OtherIngress<'c>) -> Vec<(usize, &'c RouteFacts)> {
        let host = Host::parse(below.host);
        let is_covered = |ordered: &OrderedRoute<'_>| match &ordered.route.host {
            Host::Any => true,
            Host::Precise(own) if ordered.is_glob() => Glob::new(own).is_some_and(|own| own.matches(below.host)),
            own @ Host::Precise(_) => *own == host,
            own @ Host::Wildcard(_) => {
                // Another check compares these, unless an annotation adds the wildcard, or an expression may be a claim.
                let is_sibling = matches!(host, Host::Precise(_)) && own.covers(&host, Depth::OneLabel);
                let is_claim = ordered.is_bound && self.cx.ownership.is_first_namespace();
                let is_compared = !is_sibling || ordered.added_by.is_some() || is_claim;
                *own == host || (own.covers(&host, self.depth()) && is_compared)
            }
        };
        let is_compared =
            |own: &usize| is_covered(self.hosts[*own]) && self.counts(&self.hosts[*own].route.host, &host);
        let (mut covering, cx) = ((0..self.hosts.len()).filter(is_compared), self.cx);
        let first = covering.next();
        let Some(first) = first.filter(|_| their_mark(other.facts, cx) != Mark::AcmeSolver) else { return Vec::new() };
        let is_served = other.nearest(self.claims, cx).relation == Relation::Same && self.orders(other.facts);
        if !is_served || rival(&host, &other.facts.object_ref, other.facts.created, cx) != Some(Rival::Holder) {
            return Vec::new();
        }
        let rules = self.rules.get_or_init(|| {
            // What matches the paths is already known.
            let mut annotations = DataPlaneHints::order(self.claims.hints());
            annotations.matcher = Matcher::Prefix;
            let is_of_rule = |ordered: &OrderedRoute<'_>| ordered.added_by.is_none_or(Alias::adds_hosts);
            let routes = self.routes.iter().map(|ordered| (&ordered.route, is_of_rule(ordered)));
            OwnRules::new(routes, (self.claims, annotations), self.order, cx.this)
        });
        let covering = [first].into_iter().chain(covering);
        let is_owned = cx.ownership.is_first_namespace();
        covering
            .filter_map(|own| Some((own, rules.taken(&self.hosts[own].route.host, &host, other, is_owned)?)))
            .collect()
    }
}

/// Which requests rules match, of those for their host and path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Matched {
    /// All of them.
    All,
    /// Those that meet conditions.
    ByConditions,
    /// Those that an expression matches, or another rule that is not compared.
    ByExpression,
}

/// Reports the rules for a host at the annotation that sets their place or adds the host, or else at the host.
fn report<'f>(
    ordered: &OrderedRoute<'_>,
    setting: Option<&str>,
    matched: Matched,
    taken: &Taken<'_>,
    found: &'f mut Findings<'_>,
) -> &'f mut Finding {
    let (Taken { host, route: theirs, other, .. }, route) = (taken, &ordered.route);
    let setting = setting.or(ordered.added_by);
    let at = setting.map_or(route.host_at.into(), |key| At::field("metadata.annotations").key(key));
    let own = route.host.to_string();
    let is_same_host = own == *host;
    let template = match (is_same_host, &route.host, setting) {
        _ if matched == Matched::ByConditions => {
            "requests for {} that meet the conditions reach these rules before {other}: use hosts and paths of your own"
        }
        _ if matched == Matched::ByExpression => {
            "a pattern may take requests for {} before {other} does: use a plain prefix, or a host of your own"
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
        _ if matched != Matched::All => finding.args([""; 0]).redactable(host, "a host"),
        (true, _) => finding.args([&own]).redactable(&theirs.path, "a path"),
        (false, Host::Any) => finding.args([""; 0]).redactable(host, "a host"),
        _ if ordered.is_glob() => finding.args([""; 0]).redactable(host, "a host"),
        (false, _) => finding.args([&own]).redactable(host, "a host"),
    };
    finding.other(other).claim(&own, None)
}

/// Whether an entry of `hostOwnership` gives a host to the namespace under review, beside that of another Ingress that holds it.
fn is_given(host: &Host<'_>, cx: &Context<'_>) -> bool {
    cx.ownership.owner(host, cx.cluster).is_some()
        && cx.ownership.claim(host, cx.namespace(), cx.cluster) == OwnershipDecision::Free
}
