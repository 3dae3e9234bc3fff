//! The orders in which data planes evaluate rules if they do not select by host first.

use std::borrow::Cow;

use super::{Depth, Path, PathType, kong_fields, simple_expression};

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
    /// By the priority of listeners, the smallest first. Each has one host and port, and serves all paths of the host.
    Listener,
    /// By path, the longest first, then by the weight of the rule, the greatest first.
    Path,
    /// By priority, the greatest first. It is the length of the rule unless an annotation sets it.
    Priority,
    /// By the number of fields that the rule tests, the greatest first: path, host, methods, headers and names of TLS.
    Fields,
}

impl RuleOrder {
    /// Whether a wildcard matches hosts with several labels in front of its suffix.
    pub fn wildcard_depth(self) -> Depth {
        match self {
            Self::Group | Self::Listener | Self::Fields => Depth::AnyLabels,
            Self::Host | Self::Numbered | Self::Ranked | Self::Path | Self::Priority => Depth::OneLabel,
        }
    }

    /// Whether `*` in a path whose class decides matches any characters, and `?` one.
    pub fn has_patterns(self) -> bool {
        matches!(self, Self::Group | Self::Ranked)
    }

    /// The text of a path to compare: Traefik reads a slash at the end of a prefix, which the canonical form has not.
    pub fn text<'p>(self, path: &'p Path<'_>, written: &'p str) -> &'p str {
        match (self, path.kind) {
            (Self::Priority, PathType::Prefix) if !written.is_empty() => written,
            _ => &path.text,
        }
    }

    /// The requests that a path matches in a data plane with this order, as a path that other paths can be compared with;
    /// `None` for a pattern that is not compared. A listener receives the requests for all paths. In an ALB a path whose class
    /// decides is a pattern with `*` and `?`. Traefik compares the characters of a prefix, not its elements. In Kong such a path
    /// is a pattern if it begins with `/~`.
    pub fn comparable(self, kind: PathType, text: &str) -> Option<Path<'_>> {
        if self == Self::Listener {
            return Some(Path { kind: PathType::Prefix, text: Cow::Borrowed("/") });
        }
        if self == Self::Priority && kind == PathType::Prefix {
            return Some(Path { kind: PathType::ImplementationSpecific, text: Cow::Borrowed(text) });
        }
        let is_specific = kind == PathType::ImplementationSpecific;
        if let Some((_, beginning)) = kong_fields::expression(text).filter(|_| self == Self::Fields && is_specific) {
            return beginning.map(|beginning| Path { kind, text: Cow::Borrowed(beginning) });
        }
        if !self.has_patterns() || !is_specific {
            return Some(Path { kind, text: Cow::Borrowed(text) });
        }
        // A `*` at the end matches any characters, not only whole elements.
        let (kind, text) = match text.strip_suffix('*') {
            Some(beginning) => (PathType::ImplementationSpecific, beginning),
            None => (PathType::Exact, text),
        };
        (!text.contains(['*', '?'])).then_some(Path { kind, text: Cow::Borrowed(text) })
    }

    /// A path that matches every request of one that is not [comparable](Self::comparable).
    pub fn bound(self, text: &str) -> Path<'_> {
        let beginning = match (self, kong_fields::expression(text)) {
            (Self::Fields, Some((expression, _))) => simple_expression::beginning(expression),
            _ => text.split(['*', '?']).next().unwrap_or_default(),
        };
        Path { kind: PathType::ImplementationSpecific, text: Cow::Borrowed(beginning) }
    }
}
