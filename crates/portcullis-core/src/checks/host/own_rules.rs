//! Part of `host/wildcard-takes-host`: whether the rules of an Ingress are evaluated before those of another one with
//! which they have requests in common.

use hashbrown::HashMap;

use super::other_ingress::OtherIngress;
use crate::cluster::RouteFacts;
use crate::kinds::ObjectRef;
use crate::matching::host::Form;
use crate::matching::path_overlaps::PathOverlaps;
use crate::matching::rule_order::{self, OrderAnnotations, RuleOrder};
use crate::matching::{Claims, DataPlaneHints, Host, Path};

/// When the rules of the wildcard are evaluated, compared with those of the precise host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// At least one of them before a rule of the precise host that can match the same request.
    First,
    /// All of them after those of the precise host, by the order of their group.
    Last,
    /// Unknown, or the data plane selects the host before the rules.
    Unknown,
}

/// The rules of the Ingress under review in a data plane that orders rules across hosts. Building it and comparing it
/// with a rule of another Ingress takes a few searches each, however many rules there are.
pub(super) struct OwnRules<'r> {
    order: RuleOrder,
    annotations: OrderAnnotations,
    object_ref: &'r ObjectRef,
    /// The paths of each host, each with the least priority that its rule may have, or 0 if the rules of the Ingress
    /// have no known priority or are ordered by group.
    by_host: HashMap<(Form, &'r str), PathOverlaps>,
}

impl<'r> OwnRules<'r> {
    /// The rules of the Ingress with these `claims`, which is at `object_ref`.
    pub fn new(claims: &'r Claims<'_>, order: RuleOrder, object_ref: &'r ObjectRef) -> Self {
        let annotations = DataPlaneHints::order(claims.hints());
        let mut by_host: HashMap<_, Vec<_>> = HashMap::new();
        for route in claims.routes.iter().filter(|_| order != RuleOrder::Host) {
            let Some(path) = &route.path else { continue };
            let length = rule_order::length(&route.host, path, Some(route.written));
            let least = match order {
                RuleOrder::Priority => annotations.priority(length).map_or(0, |(least, _)| least),
                RuleOrder::Group | RuleOrder::Host => 0,
            };
            by_host.entry(route.host.parts()).or_default().push((path, least));
        }
        let by_host = by_host.into_iter().map(|(host, paths)| (host, PathOverlaps::new(paths))).collect();
        Self { order, annotations, object_ref, by_host }
    }

    /// When these rules are evaluated, compared with those of `other` for the host `name`, one label below `suffix`.
    pub fn order(&self, suffix: &str, name: &str, other: &OtherIngress<'_>) -> Order {
        if self.order == RuleOrder::Host {
            return Order::Unknown;
        }
        let host = Host::Precise(name.into());
        let covering = [(Form::Wildcard, suffix), host.parts(), Host::Any.parts()];
        let own: Vec<_> = covering.into_iter().filter_map(|host| self.by_host.get(&host)).collect();
        // The greatest of the least priorities of the rules that can match the same requests.
        let greatest = |theirs: &RouteFacts| {
            let path = Path { kind: theirs.kind, text: (&*theirs.path).into() };
            own.iter().filter_map(|own| own.greatest(&path)).max()
        };
        let theirs = || other.routes_of(&host).iter().copied();
        let annotations = DataPlaneHints::order(other.facts.hints.as_deref());
        match self.order {
            RuleOrder::Group if theirs().all(|theirs| greatest(theirs).is_none()) => Order::Last,
            RuleOrder::Group => {
                let theirs = annotations.group_key(&other.facts.object_ref);
                match (self.annotations.group_key(self.object_ref), theirs) {
                    (Some(own), Some(theirs)) if own < theirs => Order::First,
                    (Some(_), Some(_)) => Order::Last,
                    _ => Order::Unknown,
                }
            }
            _ if self.annotations.priority((0, 0)).is_none() => Order::Unknown,
            _ => {
                let most = |theirs: &RouteFacts| {
                    let path = Path { kind: theirs.kind, text: (&*theirs.path).into() };
                    annotations.priority(rule_order::length(&host, &path, None)).map(|(_, most)| most)
                };
                let is_first = |theirs| greatest(theirs).zip(most(theirs)).is_some_and(|(own, most)| own > most);
                if theirs().any(is_first) { Order::First } else { Order::Unknown }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::checks::host::other_ingress::OtherIngresses;
    use crate::cluster::{Facts, IngressFacts};
    use crate::kinds::{Ingress, Kind, Object, decode};
    use crate::matching::Depth;
    use crate::matching::rule_order::OrderedRule;

    const HOSTS: [&str; 5] = ["*.example.com", "a.example.com", "b.example.com", "*.com", ""];
    const VALUES: [&str; 6] = ["-3", "0", "1", "9", "50", "x"];
    const KEYS: [&str; 3] = [
        "alb.ingress.kubernetes.io/group.order",
        "traefik.ingress.kubernetes.io/router.priority",
        "traefik.ingress.kubernetes.io/router.rule",
    ];

    fn ingress(name: &'static str) -> impl Strategy<Value = String> {
        let kind = prop::sample::select(vec!["Prefix", "Exact", "ImplementationSpecific"]);
        let rule = (prop::sample::select(HOSTS.to_vec()), kind, "/[ab/]{0,5}").prop_map(|(host, kind, path)| {
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
    fn by_pairs(claims: &Claims<'_>, this: &ObjectRef, name: &str, other: &IngressFacts, order: RuleOrder) -> Order {
        let host = Host::Precise(name.into());
        let theirs = other.routes.iter().filter(|route| route.host() == host);
        let (own_annotations, their_annotations) =
            (DataPlaneHints::order(claims.hints()), DataPlaneHints::order(other.hints.as_deref()));
        let mut is_last = order == RuleOrder::Group;
        for theirs in theirs {
            let their_path = Path { kind: theirs.kind, text: (&*theirs.path).into() };
            for own in claims.routes.iter().filter(|route| route.host.covers(&host, Depth::OneLabel)) {
                let path = own.path.as_ref().expect("its type is known");
                if !path.overlaps(&their_path) {
                    continue;
                }
                let length = rule_order::length(&own.host, path, Some(own.written));
                let own = OrderedRule { object_ref: this, annotations: own_annotations, length };
                let length = rule_order::length(&host, &their_path, None);
                let annotations = their_annotations;
                match own.is_before(&OrderedRule { object_ref: &other.object_ref, annotations, length }, order) {
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
        fn the_order_is_that_of_all_pairs(own in ingress("own"), other in ingress("other")) {
            let (own, other) = (decoded(&own), decoded(&other));
            let (claims, this) = (Claims::of_ingress(of_ingress(&own)), own.object_ref());
            let Facts::Ingress(facts) = Facts::of(&other) else { panic!("not an Ingress") };
            let other = OtherIngresses::default().of(&facts);
            for order in [RuleOrder::Host, RuleOrder::Group, RuleOrder::Priority] {
                let rules = OwnRules::new(&claims, order, &this);
                for (suffix, name) in [("example.com", "a.example.com"), ("example.com", "b.example.com")] {
                    let expected = by_pairs(&claims, &this, name, &facts, order);
                    prop_assert_eq!(rules.order(suffix, name, &other), expected, "{:?} {}", order, name);
                }
            }
        }
    }
}
