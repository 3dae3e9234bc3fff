//! What the annotations of an Ingress say about the order of its rules.

use super::annotation_effect::{CLASS_ORDER, GROUP_ORDER, INGRESS_ORDER, MATCHER, PRIORITY, RULE_PRIORITY};
use super::kong_fields::{self, KongFields};
use super::rule_order::RuleOrder;
use super::skipper_predicates::{PREDICATES, SkipperPredicates};
use super::{Host, Path, PathType};
use crate::kinds::annotation_value::is_true;
use crate::kinds::{Entries, Ingress, ObjectRef};

/// The order of an Ingress without one at a load balancer of Alibaba Cloud (`alb.ingress.kubernetes.io/order` in its guide "Advanced
/// usage of ALB Ingress").
pub(super) const USUAL_ORDER: i64 = 10;

/// The least priority that the controller of an application gateway assigns to a listener without one.
pub(super) const LEAST_ASSIGNED: i64 = 19_000;

/// What the annotations of an Ingress say about the order of its rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OrderAnnotations {
    group_order: Number,
    pub(super) ingress_order: Number,
    pub(super) class_order: Number,
    pub(super) rule_priority: Number,
    priority: Number,
    /// How an application gateway listens beside `spec.tls`.
    pub listener: AzureListener,
    /// What Skipper adds to each rule.
    pub skipper: SkipperPredicates,
    /// What the annotations of Kong add to each rule.
    pub kong: KongFields,
    /// How paths whose class decides are matched.
    pub matcher: Matcher,
    /// The length of the annotation that says so.
    matcher_length: Option<usize>,
}

/// What annotations say about the listeners of an application gateway (`processIngressRule` in pkg/appgw/ingress_rules.go of its
/// controller).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AzureListener {
    /// Whether it has a certificate of the gateway.
    has_certificate: bool,
    /// Whether plain connections are redirected to TLS.
    redirects: bool,
}

impl AzureListener {
    fn of(annotations: &Entries<'_>) -> Self {
        let redirect = annotations.get("appgw.ingress.kubernetes.io/ssl-redirect");
        Self {
            has_certificate: annotations.get("appgw.ingress.kubernetes.io/appgw-ssl-certificate").is_some(),
            redirects: redirect.is_some_and(|value| is_true(value)),
        }
    }

    /// Whether it accepts plain connections, and those with TLS. `has_tls` says whether there is `spec.tls`.
    pub fn accepts(self, has_tls: bool) -> [bool; 2] {
        let is_secure = has_tls || self.has_certificate;
        [!is_secure || self.redirects, is_secure]
    }

    /// Whether it has a port in common with another one.
    pub fn shares_port(self, has_tls: bool, (other, other_has_tls): (Self, bool)) -> bool {
        let mut both = self.accepts(has_tls).into_iter().zip(other.accepts(other_has_tls));
        both.any(|(own, theirs)| own && theirs)
    }
}

/// How an annotation lets Traefik match the paths of an Ingress whose class decides. It writes the annotation in front of the path, whatever
/// it says, and reads it for these paths alone (`loadRouter` in its pkg/provider/kubernetes/ingress/kubernetes.go).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Matcher {
    /// As prefixes.
    #[default]
    Prefix,
    /// As a whole.
    Whole,
    /// As regular expressions.
    Expression,
    /// In another way, or by other parts of a rule as well.
    Other,
}

impl Matcher {
    fn of(annotations: &Entries<'_>) -> Self {
        match annotations.get(MATCHER).map(|value| value.trim()) {
            None | Some("" | "PathPrefix") => Self::Prefix,
            Some("Path") => Self::Whole,
            Some("PathRegexp") => Self::Expression,
            Some(_) => Self::Other,
        }
    }
}

/// The annotations that determine it.
pub const KEYS: [&str; 7] =
    [GROUP_ORDER, INGRESS_ORDER, RULE_PRIORITY, PRIORITY, MATCHER, kong_fields::METHODS, PREDICATES];

/// The number in an annotation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Number {
    #[default]
    Absent,
    Is(i64),
    Unreadable,
}

impl Number {
    fn of(annotations: &Entries<'_>, key: &str) -> Self {
        match annotations.get(key).map(|value| value.trim().parse()) {
            None => Self::Absent,
            Some(Ok(number)) => Self::Is(number),
            Some(Err(_)) => Self::Unreadable,
        }
    }

    /// The number, or the one that an `absent` annotation stands for; `None` if it is not known.
    pub fn or(self, absent: i64) -> Option<i64> {
        match self {
            Self::Absent => Some(absent),
            Self::Is(number) => Some(number),
            Self::Unreadable => None,
        }
    }
}

impl OrderAnnotations {
    /// Reads the annotations of `ingress`.
    pub fn of(ingress: &Ingress<'_>) -> Self {
        let annotations = &ingress.metadata.annotations;
        Self {
            group_order: Number::of(annotations, GROUP_ORDER),
            ingress_order: Number::of(annotations, INGRESS_ORDER),
            class_order: Number::of(annotations, CLASS_ORDER),
            rule_priority: Number::of(annotations, RULE_PRIORITY),
            listener: AzureListener::of(annotations),
            skipper: SkipperPredicates::of(annotations),
            priority: Number::of(annotations, PRIORITY),
            kong: KongFields::of(annotations),
            matcher: Matcher::of(annotations),
            matcher_length: annotations.get(MATCHER).map(|matcher| matcher.len()).filter(|length| *length > 0),
        }
    }

    /// The same without what changes the order.
    pub fn without_order(self) -> Self {
        let absent = Number::Absent;
        let (kong, skipper) = (self.kong.without_order(), self.skipper.without_order());
        let numbers = Self { group_order: absent, ingress_order: absent, class_order: absent, ..self };
        Self { rule_priority: absent, priority: absent, listener: AzureListener::default(), skipper, kong, ..numbers }
    }

    /// Whether a rule may be evaluated earlier with these annotations than with those `before`. Without a priority, it has the length of
    /// the rule.
    pub fn may_precede(self, before: Self) -> bool {
        let is_earlier = |own: Number, old: Number, absent: i64| match (own.or(absent), old.or(absent)) {
            _ if own == old => false,
            (Some(own), Some(old)) => own < old,
            _ => true,
        };
        let set = |number: Number| Some(number).filter(|number| !matches!(number, Number::Absent | Number::Is(0)));
        let is_higher = match (set(self.priority), set(before.priority)) {
            (own, old) if own == old => false,
            (Some(Number::Is(own)), Some(Number::Is(old))) => own > old,
            (Some(Number::Is(own)), None) => own > SHORTEST_RULE,
            _ => true,
        };
        is_earlier(self.group_order, before.group_order, 0)
            || is_earlier(self.ingress_order, before.ingress_order, i64::MAX)
            || is_earlier(self.class_order, before.class_order, USUAL_ORDER)
            || is_earlier(self.rule_priority, before.rule_priority, LEAST_ASSIGNED)
            || is_higher
            || self.skipper.weight() > before.skipper.weight()
            || self.kong.regex_priority() > before.kong.regex_priority()
    }

    /// The annotation that sets the place of the rules in this `order`, and whether its value is a number. Traefik takes a
    /// priority of 0 as absent. In Kong, only expressions without other fields have one.
    pub fn setting(self, order: RuleOrder) -> Option<(&'static str, bool)> {
        let (key, number) = match order {
            RuleOrder::Host => return None,
            RuleOrder::Path => return (self.skipper.weight() > 0).then_some((PREDICATES, true)),
            RuleOrder::Fields => {
                let has_setting = self.kong.regex_priority() > 0 && !self.kong.add_fields();
                return has_setting.then_some((kong_fields::REGEX_PRIORITY, true));
            }
            RuleOrder::Group => (GROUP_ORDER, self.group_order),
            RuleOrder::Numbered => (INGRESS_ORDER, self.ingress_order),
            RuleOrder::Ranked => (CLASS_ORDER, self.class_order),
            RuleOrder::Listener => (RULE_PRIORITY, self.rule_priority),
            RuleOrder::Priority => (PRIORITY, self.priority),
        };
        match number {
            Number::Absent => None,
            Number::Is(0) if order == RuleOrder::Priority => None,
            Number::Is(_) => Some((key, true)),
            Number::Unreadable => Some((key, false)),
        }
    }

    /// The key by which the Ingress at `object_ref` is ordered in its group, the smallest first; `None` if it is not
    /// known.
    pub fn group_key(self, object_ref: &ObjectRef) -> Option<(i64, String)> {
        Some((self.group_order.or(0)?, format!("{}/{}", object_ref.namespace, object_ref.name)))
    }

    /// The minimum and maximum priority of a rule, if `length` is the minimum and maximum length that it may have in
    /// Traefik's language; `None` if they are not known.
    pub fn priority(self, length: (usize, usize)) -> Option<(i64, i64)> {
        match self.priority {
            Number::Is(priority) if priority != 0 => Some((priority, priority)),
            Number::Unreadable => None,
            Number::Is(_) | Number::Absent => Some((i64::try_from(length.0).ok()?, i64::try_from(length.1).ok()?)),
        }
    }

    /// The minimum and maximum length of the rule for a host and a path in Traefik's language. `written` is the path as
    /// written; `None` if only its canonical form is known.
    pub fn length(self, host: &Host<'_>, path: &Path<'_>, written: Option<&str>) -> (usize, usize) {
        let (least, most) = match host {
            Host::Any => (0, 0),
            Host::Precise(name) => (8 + name.len(), 8 + name.len()),
            // Traefik 2 names the segment, Traefik 3 escapes dots, and Traefik 3.7 writes it as it is.
            Host::Wildcard(suffix) => {
                let (named, escaped) = (40 + suffix.len(), 31 + suffix.len() + suffix.matches('.').count());
                (10 + suffix.len(), named.max(escaped))
            }
        };
        let (shortest, longest) = match (written, path.kind) {
            (Some(written), _) => (written.len(), written.len()),
            (None, PathType::Exact) => (path.text.len(), path.text.len()),
            (None, PathType::Prefix) => (path.text.len(), path.text.len() + 1),
            (None, PathType::ImplementationSpecific) if path.text == "/" => (0, 1),
            (None, PathType::ImplementationSpecific) => (path.text.len(), path.text.len()),
        };
        let name = match path.kind {
            PathType::Exact => 8,
            PathType::Prefix => 14,
            PathType::ImplementationSpecific => self.matcher_length.map_or(14, |length| length.saturating_add(4)),
        };
        let joint = if *host == Host::Any { 0 } else { 4 };
        let part = |length| if length == 0 { 0 } else { joint + name + length };
        (least + part(shortest), most + part(longest))
    }
}

/// The length of ``Path(`/`)``, the shortest rule that Traefik writes.
const SHORTEST_RULE: i64 = 9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_as_long_as_traefik_writes_it() {
        let of = |annotations: OrderAnnotations, host, kind, path| {
            annotations.length(&Host::parse(host), &Path::new(kind, Some(path)), Some(path))
        };
        let length_of = |host, kind, path| of(OrderAnnotations::default(), host, kind, path);
        let precise = "Host(`shop.example.com`) && Path(`/cart`)".len();
        assert_eq!(length_of("shop.example.com", PathType::Exact, "/cart"), (precise, precise));
        let newest = "Host(`*.example.com`) && PathPrefix(`/`)".len();
        let second = r"HostRegexp(`{subdomain:[a-zA-Z0-9-]+}.example.com`) && PathPrefix(`/`)".len();
        assert_eq!(length_of("*.example.com", PathType::Prefix, "/"), (newest, second));
        assert_eq!(length_of("", PathType::Prefix, "/a"), (16, 16));
        assert_eq!(length_of("a.example.com", PathType::ImplementationSpecific, ""), (21, 21));
        let matcher = OrderAnnotations { matcher_length: Some("Path".len()), ..OrderAnnotations::default() };
        assert_eq!(of(matcher, "", PathType::ImplementationSpecific, "/a"), (10, 10));
        assert_eq!(of(matcher, "", PathType::Prefix, "/a"), (16, 16), "the annotation is for other paths");
    }

    #[test]
    fn only_an_order_that_may_be_earlier_adds_to_a_claim() {
        let of = |key: &str, value: &str| {
            let json = match value {
                "" => "{}".to_owned(),
                value => format!(r#"{{"metadata": {{"annotations": {{"{key}": "{value}"}}}}}}"#),
            };
            OrderAnnotations::of(&serde_json::from_str(&json).expect("an Ingress"))
        };
        for (key, earlier, later) in [
            (PRIORITY, "10", "9"),
            (PRIORITY, "", "9"),
            (PRIORITY, "1", "-1"),
            (GROUP_ORDER, "-1", ""),
            (GROUP_ORDER, "1", "2"),
            (INGRESS_ORDER, "5", ""),
            (CLASS_ORDER, "9", ""),
            (CLASS_ORDER, "", "11"),
            (RULE_PRIORITY, "5", ""),
            (PREDICATES, "Weight(2)", "Weight(1)"),
        ] {
            assert!(of(key, earlier).may_precede(of(key, later)), "{key} {earlier} {later}");
            assert!(!of(key, later).may_precede(of(key, earlier)), "{key} {later} {earlier}");
            assert!(!of(key, later).may_precede(of(key, later)), "{key} {later}");
        }
        assert!(of(PRIORITY, "10").may_precede(of(PRIORITY, "")) && of(PRIORITY, "x").may_precede(of(PRIORITY, "9")));
    }
}
