//! The order in which a data plane evaluates two rules if it does not select by host first.

use std::borrow::Cow;

use super::annotation_effect::{GROUP_ORDER, INGRESS_ORDER, MATCHER, PRIORITY, RULE};
use super::{Depth, Host, Path, PathType};
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
    /// By priority, the greatest first. It is the length of the rule unless an annotation sets it.
    Priority,
}

/// What the annotations of an Ingress say about the order of its rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OrderAnnotations {
    group_order: Number,
    ingress_order: Number,
    priority: Number,
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
pub const KEYS: [&str; 5] = [GROUP_ORDER, INGRESS_ORDER, PRIORITY, MATCHER, RULE];

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
}

impl OrderAnnotations {
    /// Reads the annotations of `ingress`.
    pub fn of(ingress: &Ingress<'_>) -> Self {
        let annotations = &ingress.metadata.annotations;
        Self {
            group_order: Number::of(annotations, GROUP_ORDER),
            ingress_order: Number::of(annotations, INGRESS_ORDER),
            priority: Number::of(annotations, PRIORITY),
            matcher: Matcher::of(annotations),
        }
    }

    /// The same without what changes the order.
    pub fn without_order(self) -> Self {
        Self { group_order: Number::Absent, ingress_order: Number::Absent, priority: Number::Absent, ..self }
    }

    /// The annotation that sets the place of the rules in this `order`, and whether its value is a number. Traefik takes a
    /// priority of 0 as absent.
    pub fn setting(self, order: RuleOrder) -> Option<(&'static str, bool)> {
        let (key, number) = match order {
            RuleOrder::Host => return None,
            RuleOrder::Group => (GROUP_ORDER, self.group_order),
            RuleOrder::Numbered => (INGRESS_ORDER, self.ingress_order),
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
        let order = match self.group_order {
            Number::Absent => 0,
            Number::Is(order) => order,
            Number::Unreadable => return None,
        };
        Some((order, format!("{}/{}", object_ref.namespace, object_ref.name)))
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
            RuleOrder::Priority => match (priority(self)?, priority(other)?) {
                ((least, _), (_, most)) if least > most => Some(true),
                ((_, most), (least, _)) if most < least => Some(false),
                _ => None,
            },
        }
    }
}

impl RuleOrder {
    /// Whether a wildcard matches hosts with several labels in front of its suffix.
    pub fn wildcard_depth(self) -> Depth {
        match self {
            Self::Group => Depth::AnyLabels,
            Self::Host | Self::Numbered | Self::Priority => Depth::OneLabel,
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
    /// compares the characters of a prefix, not its elements.
    pub fn comparable(self, kind: PathType, text: &str) -> Option<Path<'_>> {
        if self == Self::Priority && kind == PathType::Prefix {
            return Some(Path { kind: PathType::ImplementationSpecific, text: Cow::Borrowed(text) });
        }
        if self != Self::Group || kind != PathType::ImplementationSpecific {
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
}
