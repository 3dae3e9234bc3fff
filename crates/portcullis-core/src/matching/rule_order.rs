//! The order in which a data plane evaluates two rules if it does not select by host first.

use std::borrow::Cow;

use super::annotation_effect::{CLASS_ORDER, GROUP_ORDER, INGRESS_ORDER, MATCHER, PRIORITY, RULE};
use super::{Depth, Host, Path, PathType, kong_fields, simple_expression};
use crate::kinds::{Entries, Ingress, ObjectRef};

/// The order in which a controller evaluates rules of different hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleOrder {
    /// By host: precise hosts before wildcards.
    Host,
    /// By the order of Ingresses in a group, the smallest first, then by namespace and name.
    Group,
    /// By the order of Ingresses of a load balancer, the smallest first, before those without an order.
    Numbered,
    /// By the order of Ingresses of a class, the smallest first. One without an order has the usual one.
    Ranked,
    /// By priority, the greatest first. It is the length of the rule unless an annotation sets it.
    Priority,
    /// By the number of fields that the rule tests, the greatest first: path, host, methods, headers and names of TLS.
    Fields,
}

/// The order of an Ingress without one at a load balancer of Alibaba Cloud (`alb.ingress.kubernetes.io/order` in its guide "Advanced
/// usage of ALB Ingress").
const USUAL_ORDER: i64 = 10;

/// What the annotations of an Ingress say about the order of its rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OrderAnnotations {
    group_order: Number,
    ingress_order: Number,
    class_order: Number,
    priority: Number,
    /// How many fields the annotations add to those of each rule.
    fields: Number,
    /// Whether an annotation adds hosts to each rule.
    adds_hosts: bool,
    /// How the paths of its rules are matched.
    pub matcher: Matcher,
}

/// How annotations let Traefik match the paths of an Ingress.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Matcher {
    /// By the type of the path.
    #[default]
    Prefix,
    /// As regular expressions.
    Expression,
    /// In another way, or by a whole rule.
    Other,
}

impl Matcher {
    fn of(annotations: &Entries<'_>) -> Self {
        match annotations.get(MATCHER).map(|value| value.trim()) {
            _ if annotations.get(RULE).is_some() => Self::Other,
            None | Some("PathPrefix") => Self::Prefix,
            Some("PathRegexp") => Self::Expression,
            Some(_) => Self::Other,
        }
    }
}

/// The annotations that determine it.
pub const KEYS: [&str; 6] = [GROUP_ORDER, INGRESS_ORDER, PRIORITY, MATCHER, RULE, kong_fields::METHODS];

/// The number in an annotation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Number {
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
    fn or(self, absent: i64) -> Option<i64> {
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
            priority: Number::of(annotations, PRIORITY),
            fields: match kong_fields::added(annotations) {
                Some(0) => Number::Absent,
                Some(added) => i64::try_from(added).map_or(Number::Unreadable, Number::Is),
                None => Number::Unreadable,
            },
            adds_hosts: annotations.get(kong_fields::ALIASES).is_some(),
            matcher: Matcher::of(annotations),
        }
    }

    /// The same without what changes the order.
    pub fn without_order(self) -> Self {
        let absent = Number::Absent;
        Self { group_order: absent, ingress_order: absent, class_order: absent, priority: absent, ..self }
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
            || is_higher
    }

    /// The annotation that sets the place of the rules in this `order`, and whether its value is a number. Traefik takes a
    /// priority of 0 as absent.
    pub fn setting(self, order: RuleOrder) -> Option<(&'static str, bool)> {
        let (key, number) = match order {
            RuleOrder::Host | RuleOrder::Fields => return None,
            RuleOrder::Group => (GROUP_ORDER, self.group_order),
            RuleOrder::Numbered => (INGRESS_ORDER, self.ingress_order),
            RuleOrder::Ranked => (CLASS_ORDER, self.class_order),
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

    /// Whether the annotations add fields to those of each rule, which then matches fewer requests.
    pub fn adds_fields(self) -> bool {
        matches!(self.fields, Number::Is(_))
    }

    /// The number of fields that a rule tests, which has a host or not; `None` if it is not known.
    pub fn fields(self, has_host: bool) -> Option<i64> {
        let added = match self.fields {
            Number::Absent => 0,
            Number::Is(added) => added,
            Number::Unreadable => return None,
        };
        (has_host || !self.adds_hosts).then_some(added + i64::from(has_host))
    }

    /// The minimum and maximum priority of a rule, if `length` is the minimum and maximum length that it may have in
    /// Traefik's language; `None` if they are not known.
    pub fn priority(self, length: (usize, usize)) -> Option<(i64, i64)> {
        match self.priority {
            Number::Is(priority) if priority != 0 => Some((priority, priority)),
            Number::Unreadable => None,
            Number::Is(_) | Number::Absent if self.matcher != Matcher::Prefix => None,
            Number::Is(_) | Number::Absent => Some((i64::try_from(length.0).ok()?, i64::try_from(length.1).ok()?)),
        }
    }
}

/// The properties of a rule that determine its order.
#[derive(Debug, Clone, Copy)]
pub struct OrderedRule<'r> {
    /// The Ingress.
    pub object_ref: &'r ObjectRef,
    /// What its annotations say about its order.
    pub annotations: OrderAnnotations,
    /// The minimum and maximum length that the rule may have in Traefik's language.
    pub length: (usize, usize),
    /// Whether it has a host.
    pub has_host: bool,
}

impl OrderedRule<'_> {
    /// Whether it is evaluated before `other` in this `order`; `None` if that is not known.
    pub fn is_before(&self, other: &Self, order: RuleOrder) -> Option<bool> {
        let key = |one: &Self| one.annotations.group_key(one.object_ref);
        let priority = |one: &Self| one.annotations.priority(one.length);
        match order {
            RuleOrder::Host => None,
            RuleOrder::Group => Some(key(self)? < key(other)?),
            RuleOrder::Numbered => match (self.annotations.ingress_order, other.annotations.ingress_order) {
                (Number::Is(own), Number::Is(theirs)) if own != theirs => Some(own < theirs),
                (Number::Is(_), Number::Absent) => Some(true),
                (Number::Absent, Number::Is(_)) => Some(false),
                _ => None,
            },
            // Of two with the same order, the names decide, or the installation.
            RuleOrder::Ranked => {
                let rank = |one: &Self| one.annotations.class_order.or(USUAL_ORDER);
                let (own, theirs) = (rank(self)?, rank(other)?);
                (own != theirs).then_some(own < theirs)
            }
            RuleOrder::Priority => match (priority(self)?, priority(other)?) {
                ((least, _), (_, most)) if least > most => Some(true),
                ((_, most), (least, _)) if most < least => Some(false),
                _ => None,
            },
            // Of two with as many fields, the path decides, or the installation.
            RuleOrder::Fields => {
                let fields = |one: &Self| one.annotations.fields(one.has_host);
                let (own, theirs) = (fields(self)?, fields(other)?);
                (own != theirs).then_some(own > theirs)
            }
        }
    }
}

impl RuleOrder {
    /// Whether a wildcard matches hosts with several labels in front of its suffix.
    pub fn wildcard_depth(self) -> Depth {
        match self {
            Self::Group | Self::Fields => Depth::AnyLabels,
            Self::Host | Self::Numbered | Self::Ranked | Self::Priority => Depth::OneLabel,
        }
    }

    /// The text of a path to compare: Traefik reads a slash at the end of a prefix, which the canonical form has not.
    pub fn text<'p>(self, path: &'p Path<'_>, written: &'p str) -> &'p str {
        match (self, path.kind) {
            (Self::Priority, PathType::Prefix) if !written.is_empty() => written,
            _ => &path.text,
        }
    }

    /// The requests that a path matches in a data plane with this order, as a path that other paths can be compared with;
    /// `None` for a pattern that is not compared. In an ALB a path whose class decides is a pattern with `*` and `?`. Traefik
    /// compares the characters of a prefix, not its elements. In Kong such a path is a pattern if it begins with `/~`.
    pub fn comparable(self, kind: PathType, text: &str) -> Option<Path<'_>> {
        if self == Self::Priority && kind == PathType::Prefix {
            return Some(Path { kind: PathType::ImplementationSpecific, text: Cow::Borrowed(text) });
        }
        let expression = text.strip_prefix("/~").filter(|_| kind == PathType::ImplementationSpecific);
        if let Some(expression) = expression.filter(|_| self == Self::Fields) {
            let beginning = simple_expression::every_path_after(expression)?;
            return Some(Path { kind, text: Cow::Borrowed(beginning) });
        }
        if !matches!(self, Self::Group | Self::Ranked) || kind != PathType::ImplementationSpecific {
            return Some(Path { kind, text: Cow::Borrowed(text) });
        }
        // A `*` at the end matches any characters, not only whole elements.
        let (kind, text) = match text.strip_suffix('*') {
            Some(beginning) => (PathType::ImplementationSpecific, beginning),
            None => (PathType::Exact, text),
        };
        (!text.contains(['*', '?'])).then_some(Path { kind, text: Cow::Borrowed(text) })
    }
}

/// The length of ``Path(`/`)``, the shortest rule that Traefik writes.
const SHORTEST_RULE: i64 = 9;

/// The minimum and maximum length of the rule for a host and a path. `written` is the path as written; `None` if only
/// its canonical form is known.
pub fn length(host: &Host<'_>, path: &Path<'_>, written: Option<&str>) -> (usize, usize) {
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
    let name = if path.kind == PathType::Exact { 8 } else { 14 };
    let joint = if *host == Host::Any { 0 } else { 4 };
    let part = |length| if length == 0 { 0 } else { joint + name + length };
    (least + part(shortest), most + part(longest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_as_long_as_traefik_writes_it() {
        let length_of = |host, kind, path| length(&Host::parse(host), &Path::new(kind, Some(path)), Some(path));
        let precise = "Host(`shop.example.com`) && Path(`/cart`)".len();
        assert_eq!(length_of("shop.example.com", PathType::Exact, "/cart"), (precise, precise));
        let newest = "Host(`*.example.com`) && PathPrefix(`/`)".len();
        let second = r"HostRegexp(`{subdomain:[a-zA-Z0-9-]+}.example.com`) && PathPrefix(`/`)".len();
        assert_eq!(length_of("*.example.com", PathType::Prefix, "/"), (newest, second));
        assert_eq!(length_of("", PathType::Prefix, "/a"), (16, 16));
        assert_eq!(length_of("a.example.com", PathType::ImplementationSpecific, ""), (21, 21));
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
        ] {
            assert!(of(key, earlier).may_precede(of(key, later)), "{key} {earlier} {later}");
            assert!(!of(key, later).may_precede(of(key, earlier)), "{key} {later} {earlier}");
            assert!(!of(key, later).may_precede(of(key, later)), "{key} {later}");
        }
        assert!(of(PRIORITY, "10").may_precede(of(PRIORITY, "")) && of(PRIORITY, "x").may_precede(of(PRIORITY, "9")));
    }

    #[test]
    fn conditions_of_kong_are_counted_if_all_its_routers_read_them() {
        let fields = |annotations: &str, has_host| {
            let json = format!(r#"{{"metadata": {{"annotations": {{{annotations}}}}}}}"#);
            OrderAnnotations::of(&serde_json::from_str(&json).expect("an Ingress")).fields(has_host)
        };
        assert_eq!(fields("", true), Some(1));
        assert_eq!(fields(r#""konghq.com/methods": "GET,PUT", "konghq.com/snis": "a.b""#, false), Some(2));
        assert_eq!(fields(r#""konghq.com/headers.a": "1", "konghq.com/headers.b": "1""#, true), Some(2));
        assert_eq!(fields(r#""konghq.com/methods": "GET, put""#, true), Some(2));
        assert_eq!(fields(r#""konghq.com/methods": "GET,""#, true), None);
        assert_eq!(fields(r#""konghq.com/headers.Host": "x""#, true), None);
        let aliases = r#""konghq.com/host-aliases": "a.b""#;
        assert_eq!((fields(aliases, false), fields(aliases, true)), (None, Some(1)));
    }
}
