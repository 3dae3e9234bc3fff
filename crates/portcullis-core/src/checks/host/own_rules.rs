//! Part of `host/wildcard-takes-host` and `host/order-takes-requests`: whether the rules of an Ingress are evaluated before
//! those of another one with which they have requests in common.

use hashbrown::{HashMap, HashSet};

use super::other_ingress::OtherIngress;
use crate::checks::Context;
use crate::cluster::{PlaneInputs, RouteFacts};
use crate::kinds::ObjectRef;
use crate::matching::host::Form;
use crate::matching::kong_fields::allows_name;
use crate::matching::path_interpretation::NotatedPath;
use crate::matching::path_overlaps::PathOverlaps;
use crate::matching::rule_order::{self, OrderAnnotations, OrderedRule, RuleOrder};
use crate::matching::{Claims, DataPlaneHints, Host, Path, PathType, Route};

/// The order in which the data plane evaluates the rules of the Ingress under review.
pub(super) fn rule_order(claims: &Claims<'_>, cx: &Context<'_>) -> RuleOrder {
    let served = |class| PlaneInputs { class, hints: claims.hints() };
    let orders = claims.classes.iter().map(|class| cx.data_planes.rule_order(served(class), cx.cluster));
    // A Traefik serves Ingresses without a class, too.
    let is_classless = claims.classes.iter().eq([None]);
    let has_priority = || DataPlaneHints::order(claims.hints()).setting(RuleOrder::Priority).is_some();
    let of_annotation = || if is_classless && has_priority() { RuleOrder::Priority } else { RuleOrder::Host };
    // Only conditions move a rule ahead of one with a more specific host.
    let adds_fields = DataPlaneHints::order(claims.hints()).adds_fields();
    let mut orders = orders.filter(|order| *order != RuleOrder::Fields || adds_fields);
    orders.find(|order| *order != RuleOrder::Host).unwrap_or_else(of_annotation)
}

/// When the rules of a host are evaluated, compared with those of a host of another Ingress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// At least one of them before a rule of the other host that can match the same request.
    First,
    /// All of them after those of the other host, by the order of their group.
    Last,
    /// Unknown, or the data plane selects the host before the rules.
    Unknown,
}

/// The rules of the Ingress under review in a data plane that orders rules across hosts. Building it and comparing it
/// with a rule of another Ingress takes a few searches each, however many rules there are.
pub(super) struct OwnRules<'r> {
    order: RuleOrder,
    claims: &'r Claims<'r>,
    annotations: OrderAnnotations,
    object_ref: &'r ObjectRef,
    by_host: HashMap<(Form, &'r str), OwnPaths<'r>>,
}

/// The paths of one host.
struct OwnPaths<'r> {
    /// Each with the least priority that its rule may have, or its number of fields; 0 if the rules have no known priority or are
    /// not ordered by it.
    overlaps: PathOverlaps,
    /// The keys of the paths with their types, by which equal ones are found.
    keys: HashSet<(PathType, &'r str)>,
    /// Whether some of them are not compared.
    has_patterns: bool,
}

impl OwnPaths<'_> {
    /// Whether a path has the text of that of `route` and may have its type, so that both are in conflict.
    fn has_equal(&self, route: &RouteFacts) -> bool {
        let key = NotatedPath::key(route.kind, &route.path);
        let kinds: &[PathType] = match route.kind {
            PathType::ImplementationSpecific => &[PathType::ImplementationSpecific, PathType::Prefix, PathType::Exact],
            PathType::Prefix => &[PathType::ImplementationSpecific, PathType::Prefix],
            PathType::Exact => &[PathType::ImplementationSpecific, PathType::Exact],
        };
        kinds.iter().any(|kind| self.keys.contains(&(*kind, key)))
    }
}

impl<'r> OwnRules<'r> {
    /// The rules of the Ingress at `object_ref` with these `claims` and `routes`, each with whether its rule has the host and
    /// path, which then may be in conflict with equal ones.
    pub fn new(
        routes: impl Iterator<Item = (&'r Route<'r>, bool)>,
        claims: &'r Claims<'r>,
        order: RuleOrder,
        object_ref: &'r ObjectRef,
    ) -> Self {
        let annotations = DataPlaneHints::order(claims.hints());
        let mut by_host: HashMap<_, Vec<_>> = HashMap::new();
        for (route, is_of_rule) in routes.filter(|_| order != RuleOrder::Host) {
            let Some(path) = &route.path else { continue };
            let text = order.text(path, route.written);
            let length = rule_order::length(&route.host, path, Some(route.written));
            let least = match order {
                RuleOrder::Priority => annotations.priority(length).map_or(0, |(least, _)| least),
                RuleOrder::Fields => annotations.fields(route.host != Host::Any).unwrap_or_default(),
                RuleOrder::Group | RuleOrder::Numbered | RuleOrder::Ranked | RuleOrder::Host => 0,
            };
            by_host.entry(route.host.parts()).or_default().push((path, text, least, is_of_rule));
        }
        let paths = |all: Vec<(&'r Path<'_>, &'r str, i64, bool)>| {
            let comparable = |(path, text, least, _): &(&'r Path<'_>, &'r str, i64, bool)| {
                Some((order.comparable(path.kind, text)?, *least))
            };
            let of_rules = all.iter().filter(|(.., is_of_rule)| *is_of_rule);
            let compared: Vec<_> = all.iter().filter_map(comparable).collect();
            OwnPaths {
                has_patterns: compared.len() < all.len(),
                overlaps: PathOverlaps::new(compared.iter().map(|(path, least)| (path, *least))),
                keys: of_rules.map(|(path, ..)| (path.kind, NotatedPath::key(path.kind, &path.text))).collect(),
            }
        };
        let by_host = by_host.into_iter().map(|(host, all)| (host, paths(all))).collect();
        Self { order, claims, annotations, object_ref, by_host }
    }

    /// The paths of an own host, if requests for the host `theirs` of another Ingress may reach their rules: those of Kong may require
    /// other names of TLS.
    fn paths<'p>(&'p self, own: &'p Host<'_>, theirs: &Host<'_>) -> Option<&'p OwnPaths<'p>> {
        let annotations = &self.claims.ingress.metadata.annotations;
        let may_reach = self.order != RuleOrder::Fields || allows_name(annotations, &theirs.text());
        self.by_host.get(&own.parts()).filter(|_| may_reach)
    }

    /// When the rules for `own` are evaluated, compared with those of `other` for the host `theirs`, which `own` covers.
    pub fn order(&self, own: &Host<'_>, theirs: &Host<'_>, other: &OtherIngress<'_>) -> Order {
        let Some(own) = self.paths(own, theirs) else { return Order::Unknown };
        let annotations = DataPlaneHints::order(other.facts.hints.as_deref());
        let mut is_last = self.order == RuleOrder::Group && !own.has_patterns;
        for route in other.routes_of(theirs) {
            let Some((path, length)) = self.comparable(theirs, route) else {
                is_last = false;
                continue;
            };
            let Some(priority) = own.overlaps.greatest(&path) else { continue };
            match self.is_before(priority, self.annotations, (other, annotations, length, theirs)) {
                Some(true) => return Order::First,
                Some(false) => {}
                None => is_last = false,
            }
        }
        if is_last { Order::Last } else { Order::Unknown }
    }

    /// The rule of `other` for the host `theirs`, which `own` covers, that a rule for `own` leaves no request, or some of whose
    /// requests it takes for a less specific host: of a host that the first namespace owns all of them, otherwise those that it takes
    /// because of an annotation. Rules with equal paths of one host, which are in conflict, are left out.
    pub fn taken<'o>(
        &self,
        own: &Host<'_>,
        theirs: &Host<'_>,
        other: &OtherIngress<'o>,
        is_owned: bool,
    ) -> Option<&'o RouteFacts> {
        let is_same_host = own == theirs;
        let own = self.paths(own, theirs)?;
        let annotations = DataPlaneHints::order(other.facts.hints.as_deref());
        let is_taken = |route: &RouteFacts| {
            let (path, length) = self.comparable(theirs, route)?;
            if route.notation.is_default_backend || (is_same_host && own.has_equal(route)) {
                return None;
            }
            let other = (other, annotations, length, theirs);
            let is_first = |priority, own| self.is_before(priority, own, other) == Some(true);
            let covering = own.overlaps.greatest_covering(&path);
            let takes_all = covering.is_some_and(|priority| is_first(priority, self.annotations));
            let takes_some = || {
                let overlapping = own.overlaps.greatest(&path).filter(|_| !is_same_host)?;
                let is_moved = match self.order {
                    _ if is_owned => true,
                    RuleOrder::Priority => self.annotations.setting(self.order).is_some(),
                    RuleOrder::Fields => true,
                    _ => !is_first(overlapping, self.annotations.without_order()),
                };
                Some(is_moved && is_first(overlapping, self.annotations))
            };
            (takes_all || takes_some() == Some(true)).then_some(())
        };
        other.routes_of(theirs).iter().copied().find(|route| is_taken(route).is_some())
    }

    /// A rule of another Ingress as a path that own ones are compared with, and the length that it may have.
    fn comparable<'f>(&self, host: &Host<'_>, route: &'f RouteFacts) -> Option<(Path<'f>, (usize, usize))> {
        let path = Path { kind: route.kind, text: (&*route.path).into() };
        let length = rule_order::length(host, &path, None);
        Some((self.order.comparable(route.kind, &route.path)?, length))
    }

    /// Whether an own rule with this priority under `annotations` is evaluated before a rule of another Ingress of this
    /// length, for this host.
    fn is_before(
        &self,
        priority: i64,
        annotations: OrderAnnotations,
        (other, theirs, length, host): (&OtherIngress<'_>, OrderAnnotations, (usize, usize), &Host<'_>),
    ) -> Option<bool> {
        if self.order == RuleOrder::Fields {
            return theirs.fields(*host != Host::Any).map(|fields| priority > fields);
        }
        if self.order == RuleOrder::Priority {
            annotations.priority((0, 0))?;
            return theirs.priority(length).map(|(_, most)| priority > most);
        }
        let rule = |object_ref, annotations| OrderedRule { object_ref, annotations, length, has_host: true };
        rule(self.object_ref, annotations).is_before(&rule(&other.facts.object_ref, theirs), self.order)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::checks::host::other_ingress::OtherIngresses;
    use crate::cluster::{Facts, IngressFacts};
    use crate::kinds::{Ingress, Kind, Object, decode};

    const HOSTS: [&str; 5] = ["*.example.com", "a.example.com", "b.example.com", "*.com", ""];
    const VALUES: [&str; 8] = ["-3", "0", "1", "9", "50", "x", "GET", "a.example.com"];
    const KEYS: [&str; 8] = [
        "konghq.com/headers.a",
        "konghq.com/methods",
        "konghq.com/snis",
        "alb.ingress.kubernetes.io/group.order",
        "alb.ingress.kubernetes.io/order",
        "kubernetes.io/elb.ingress-order",
        "traefik.ingress.kubernetes.io/router.priority",
        "traefik.ingress.kubernetes.io/router.rule",
    ];

    fn ingress(name: &'static str) -> impl Strategy<Value = String> {
        let kind = prop::sample::select(vec!["Prefix", "Exact", "ImplementationSpecific"]);
        let rule = (prop::sample::select(HOSTS.to_vec()), kind, "/[ab/]{0,5}[*]?").prop_map(|(host, kind, path)| {
            format!(r#"{{"host": "{host}", "http": {{"paths": [{{"path": "{path}", "pathType": "{kind}"}}]}}}}"#)
        });
        let annotation = (prop::sample::select(KEYS.to_vec()), prop::sample::select(VALUES.to_vec()));
        let annotation = annotation.prop_map(|(key, value)| format!(r#""{key}": "{value}""#));
        let all = (prop::collection::vec(rule, 0..8), prop::option::of(annotation), "[xyz]");
        all.prop_map(move |(rules, annotation, namespace)| {
            let (annotation, rules) = (annotation.unwrap_or_default(), rules.join(", "));
            format!(
                r#"{{"metadata": {{"name": "{name}", "namespace": "{namespace}", "annotations": {{{annotation}}}}},
                    "spec": {{"rules": [{rules}]}}}}"#
            )
        })
    }

    /// The definition: each rule of one is compared with each rule of the other.
    fn by_pairs(
        claims: &Claims<'_>,
        this: &ObjectRef,
        (covering, name): (&Host<'_>, &str),
        other: &IngressFacts,
        order: RuleOrder,
    ) -> Order {
        let host = Host::Precise(name.into());
        let names = claims.ingress.metadata.annotations.get("konghq.com/snis");
        let has_other_name = order == RuleOrder::Fields && names.is_some_and(|required| **required != *name);
        if claims.routes.iter().all(|route| route.host != *covering) || order == RuleOrder::Host || has_other_name {
            return Order::Unknown;
        }
        let theirs = other.routes.iter().filter(|route| route.host() == host);
        let (own_annotations, their_annotations) =
            (DataPlaneHints::order(claims.hints()), DataPlaneHints::order(other.hints.as_deref()));
        let mut is_last = order == RuleOrder::Group;
        for theirs in theirs {
            let their_path = Path { kind: theirs.kind, text: (&*theirs.path).into() };
            for own in claims.routes.iter().filter(|route| route.host == *covering) {
                let path = own.path.as_ref().expect("its type is known");
                let (Some(compared), Some(theirs)) = (
                    order.comparable(path.kind, order.text(path, own.written)),
                    order.comparable(theirs.kind, &theirs.path),
                ) else {
                    is_last = false;
                    continue;
                };
                if !compared.overlaps(&theirs) {
                    continue;
                }
                let length = rule_order::length(&own.host, path, Some(own.written));
                let has_host = own.host != Host::Any;
                let own = OrderedRule { object_ref: this, annotations: own_annotations, length, has_host };
                let length = rule_order::length(&host, &their_path, None);
                let (object_ref, annotations) = (&other.object_ref, their_annotations);
                match own.is_before(&OrderedRule { object_ref, annotations, length, has_host: true }, order) {
                    Some(true) => return Order::First,
                    Some(false) => {}
                    None => is_last = false,
                }
            }
        }
        if is_last { Order::Last } else { Order::Unknown }
    }

    fn decoded(json: &str) -> Object<'_> {
        decode(Kind::Ingress, json).unwrap_or_else(|error| panic!("{error}: {json}"))
    }

    fn of_ingress<'o>(object: &'o Object<'_>) -> &'o Ingress<'o> {
        match object {
            Object::Ingress(ingress) => ingress,
            _ => panic!("not an Ingress"),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn rule_order_equals_pairwise_comparison(own in ingress("own"), other in ingress("other")) {
            let (own, other) = (decoded(&own), decoded(&other));
            let (claims, this) = (Claims::of_ingress(of_ingress(&own)), own.object_ref());
            let Facts::Ingress(facts) = Facts::of(&other) else { panic!("not an Ingress") };
            let other = OtherIngresses::default().of(&facts);
            for order in [
                RuleOrder::Host,
                RuleOrder::Group,
                RuleOrder::Numbered,
                RuleOrder::Ranked,
                RuleOrder::Priority,
                RuleOrder::Fields,
            ] {
                let rules = OwnRules::new(claims.routes.iter().map(|route| (route, true)), &claims, order, &this);
                for (covering, name) in [("*.example.com", "a.example.com"), ("", "b.example.com"), ("*.com", "a.example.com")] {
                    let covering = Host::parse(covering);
                    let expected = by_pairs(&claims, &this, (&covering, name), &facts, order);
                    let found = rules.order(&covering, &Host::Precise(name.into()), &other);
                    prop_assert_eq!(found, expected, "{:?} {}", order, name);
                }
            }
        }
    }
}
