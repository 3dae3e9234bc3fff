//! Part of `host/wildcard-takes-host` and `host/order-takes-requests`: whether the rules of an Ingress are evaluated before
//! those of another one with which they have requests in common.

use hashbrown::HashMap;

use super::other_ingress::OtherIngress;
use super::own_paths::{OwnPath, OwnPaths};
use crate::checks::Context;
use crate::cluster::{PlaneInputs, RouteFacts};
use crate::kinds::ObjectRef;
use crate::matching::host::Form;
use crate::matching::kong_fields::{EXPRESSION, allows_name};
use crate::matching::order_annotations::{Matcher, OrderAnnotations};
use crate::matching::ordered_rule::OrderedRule;
use crate::matching::path_interpretation::NotatedPath;
use crate::matching::rule_order::RuleOrder;
use crate::matching::skipper_predicates::without_weight;
use crate::matching::{Claims, DataPlaneHints, Host, Path, PathType, Route};

/// The order in which the data plane evaluates the rules of the Ingress under review.
pub(super) fn rule_order(claims: &Claims<'_>, cx: &Context<'_>) -> RuleOrder {
    let served = |class| PlaneInputs { class, hints: claims.hints() };
    let orders = claims.classes.iter().map(|class| cx.data_planes.rule_order(served(class), cx.cluster));
    // A Traefik serves Ingresses without a class, too.
    let is_classless = claims.classes.iter().eq([None]);
    let has_priority = || DataPlaneHints::order(claims.hints()).setting(RuleOrder::Priority).is_some();
    let of_annotation = || if is_classless && has_priority() { RuleOrder::Priority } else { RuleOrder::Host };
    let annotations = DataPlaneHints::order(claims.hints());
    let mut orders = orders.filter(|order| match order {
        // Only conditions move a rule ahead of one with a more specific host, and only a priority one ahead of an expression.
        RuleOrder::Fields => annotations.kong.add_fields() || annotations.setting(*order).is_some(),
        RuleOrder::Listener => annotations.setting(*order).is_some(),
        _ => true,
    });
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

/// A rule of another Ingress with which own ones are compared.
struct Their<'o> {
    object_ref: &'o ObjectRef,
    annotations: OrderAnnotations,
    has_host: bool,
    /// The minimum and maximum length that it may have.
    length: (usize, usize),
    /// The minimum and maximum place that it may have in Skipper.
    place: (i64, i64),
    /// Whether it has certificates in `spec.tls`.
    has_tls: bool,
    /// A path that matches all of its requests.
    path: Path<'o>,
    /// Whether the path matches no others.
    is_exact: bool,
    /// Whether its path is an expression in Kong.
    is_expression: bool,
}

impl<'r> OwnRules<'r> {
    /// The rules of the `ingress` at `object_ref` with these claims and annotations, and with these `routes`, each with whether its rule
    /// has the host and path, which then may be in conflict with equal ones.
    pub fn new(
        routes: impl Iterator<Item = (&'r Route<'r>, bool)>,
        ingress: (&'r Claims<'r>, OrderAnnotations),
        order: RuleOrder,
        object_ref: &'r ObjectRef,
    ) -> Self {
        let (claims, annotations) = ingress;
        let mut by_host: HashMap<_, Vec<OwnPath<'r>>> = HashMap::new();
        for (route, is_of_rule) in routes.filter(|_| order != RuleOrder::Host) {
            let Some(path) = &route.path else { continue };
            let text = order.text(path, route.written);
            let least = match order {
                RuleOrder::Priority => {
                    // An annotation adds hosts in front of the path, of whose matcher they are a part.
                    let host = if is_of_rule { &route.host } else { &Host::Any };
                    let is_read = path.kind != PathType::ImplementationSpecific
                        || matches!(annotations.matcher, Matcher::Prefix | Matcher::Whole);
                    let length = if is_read { annotations.length(host, path, Some(route.written)) } else { (0, 0) };
                    annotations.priority(length).map_or(0, |(least, _)| least)
                }
                RuleOrder::Fields => {
                    annotations.kong.rank(route.host != Host::Any, is_expression(path.kind, &path.text))
                }
                RuleOrder::Path => annotations.skipper.place(path, route.host != Host::Any).0,
                RuleOrder::Group | RuleOrder::Numbered | RuleOrder::Ranked | RuleOrder::Listener | RuleOrder::Host => 0,
            };
            // Annotations may have changed the path.
            let written = if path.kind == PathType::Prefix { &*path.text } else { route.written_or_root() };
            let key = is_of_rule.then(|| (path.kind, NotatedPath::key(path.kind, written)));
            by_host.entry(route.host.parts()).or_default().push(OwnPath { kind: path.kind, text, least, key });
        }
        let by_host = by_host.into_iter().map(|(host, all)| (host, OwnPaths::new(&all, order))).collect();
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
        let mut is_last = self.order == RuleOrder::Group && !own.has_patterns();
        for route in other.routes_of(theirs) {
            let their = self.their(theirs, route, other);
            is_last &= their.is_exact;
            let priority = if their.is_exact { own.greatest(&their.path) } else { own.greatest_covering(&their.path) };
            let Some(priority) = priority else { continue };
            match self.is_before(priority, self.annotations, &their, false) {
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
        let is_taken = |route: &RouteFacts| {
            // Of one host, the longer path is the right one.
            let is_ordered = self.order == RuleOrder::Path && is_same_host;
            if is_ordered || route.notation.is_default_backend || (is_same_host && own.has_equal(route)) {
                return false;
            }
            let their = self.their(theirs, route, other);
            let is_first =
                |priority, annotations| self.is_before(priority, annotations, &their, is_same_host) == Some(true);
            if own.greatest_covering(&their.path).is_some_and(|priority| is_first(priority, self.annotations)) {
                return true;
            }
            // Requests of two paths that have some in common are only known if it is known what they match.
            let overlapping = own.greatest(&their.path).filter(|_| !is_same_host && (their.is_exact || is_owned));
            overlapping.is_some_and(|priority| {
                let is_moved = match self.order {
                    _ if is_owned => true,
                    RuleOrder::Priority => self.annotations.setting(self.order).is_some(),
                    RuleOrder::Fields => true,
                    RuleOrder::Path => without_weight(priority) <= their.place.1,
                    _ => !is_first(priority, self.annotations.without_order()),
                };
                is_moved && is_first(priority, self.annotations)
            })
        };
        other.routes_of(theirs).iter().copied().find(|route| is_taken(route))
    }

    /// A rule of `other` for this host.
    fn their<'f>(&self, host: &Host<'_>, route: &'f RouteFacts, other: &'f OtherIngress<'_>) -> Their<'f> {
        let path = Path { kind: route.kind, text: (&*route.path).into() };
        let annotations = DataPlaneHints::order(other.facts.hints.as_deref());
        let comparable = self.order.comparable(route.kind, &route.path);
        Their {
            object_ref: &other.facts.object_ref,
            annotations,
            has_host: *host != Host::Any,
            length: annotations.length(host, &path, None),
            place: annotations.skipper.place(&path, *host != Host::Any),
            has_tls: other.facts.has_tls,
            is_exact: comparable.is_some(),
            path: comparable.unwrap_or_else(|| self.order.bound(&route.path)),
            is_expression: is_expression(route.kind, &route.path),
        }
    }

    /// Whether an own rule with this priority under `annotations` is evaluated before `their` rule, which has the same host or another one.
    /// Of Kong it is enough that it may be, since conditions are compared that one of its routers may ignore.
    fn is_before(
        &self,
        priority: i64,
        annotations: OrderAnnotations,
        their: &Their<'_>,
        is_same_host: bool,
    ) -> Option<bool> {
        if self.order == RuleOrder::Fields {
            let is_expression = their.is_expression && is_same_host;
            return Some(priority > their.annotations.kong.limit(their.has_host, is_expression));
        }
        if self.order == RuleOrder::Priority {
            annotations.priority((0, 0))?;
            return their.annotations.priority(their.length).map(|(_, most)| priority > most);
        }
        if self.order == RuleOrder::Path {
            return Some(priority > their.place.1);
        }
        let has_tls = !self.claims.ingress.spec.tls.is_empty();
        let theirs = (their.annotations.listener, their.has_tls);
        if self.order == RuleOrder::Listener && (is_same_host || !annotations.listener.shares_port(has_tls, theirs)) {
            return None;
        }
        let (length, place) = (their.length, their.place);
        let rule = |object_ref, annotations| OrderedRule { object_ref, annotations, length, place, has_host: true };
        rule(self.object_ref, annotations).is_before(&rule(their.object_ref, their.annotations), self.order)
    }
}

/// Whether Kong reads a path as an expression, which it tries before others with as many fields.
fn is_expression(kind: PathType, text: &str) -> bool {
    kind == PathType::Exact || (kind == PathType::ImplementationSpecific && text.starts_with(EXPRESSION))
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
    const KEYS: [&str; 9] = [
        "konghq.com/headers.a",
        "konghq.com/methods",
        "konghq.com/snis",
        "alb.ingress.kubernetes.io/group.order",
        "alb.ingress.kubernetes.io/order",
        "appgw.ingress.kubernetes.io/rule-priority",
        "kubernetes.io/elb.ingress-order",
        "traefik.ingress.kubernetes.io/router.priority",
        "traefik.ingress.kubernetes.io/router.pathmatcher",
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
                let is_read = path.kind != PathType::ImplementationSpecific
                    || matches!(own_annotations.matcher, Matcher::Prefix | Matcher::Whole);
                let length = if is_read { own_annotations.length(&own.host, path, Some(own.written)) } else { (0, 0) };
                let has_host = own.host != Host::Any;
                let (place, has_tls) =
                    (own_annotations.skipper.place(path, has_host), !claims.ingress.spec.tls.is_empty());
                let own = OrderedRule { object_ref: this, annotations: own_annotations, length, place, has_host };
                let length = their_annotations.length(&host, &their_path, None);
                let (object_ref, annotations) = (&other.object_ref, their_annotations);
                // Fields that some routers ignore may count.
                let rank = own.annotations.kong.rank(has_host, false);
                if order == RuleOrder::Fields && rank > their_annotations.kong.limit(true, false) {
                    return Order::First;
                }
                let listener = (annotations.listener, other.has_tls);
                if order == RuleOrder::Listener && !own_annotations.listener.shares_port(has_tls, listener) {
                    continue;
                }
                let place = annotations.skipper.place(&their_path, true);
                match own.is_before(&OrderedRule { object_ref, annotations, length, place, has_host: true }, order) {
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
                RuleOrder::Listener,
                RuleOrder::Path,
                RuleOrder::Priority,
                RuleOrder::Fields,
            ] {
                let rules = OwnRules::new(
                    claims.routes.iter().map(|route| (route, true)),
                    (&claims, DataPlaneHints::order(claims.hints())),
                    order,
                    &this,
                );
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
