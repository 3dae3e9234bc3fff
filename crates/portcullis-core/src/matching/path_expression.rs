//! Which paths of an Ingress a controller reads as regular expressions, and which other paths it asks only after them, as data.

use std::cmp::Ordering;

use super::controller::Controller::{self, Cilium, IngressNginx, Kong};
use super::path_reading::{SPECIAL, Spelled};
use super::{PathType, Pattern};

/// How a controller reads expressions.
#[derive(Debug)]
struct Reading {
    controller: Controller,
    /// Which paths are expressions.
    marked: MarkedExpression,
    /// When they are asked.
    order: Order,
}

/// What makes an expression of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkedExpression {
    /// An annotation with this prefix on any Ingress of the host. The expression must match the beginning of a path, in any case of letters.
    Annotation(&'static str),
    /// A beginning of the path, behind which the expression stands. It must match the beginning of a path.
    Beginning(&'static str),
    /// The type `ImplementationSpecific`. It must match a whole path.
    Type,
}

/// When a controller asks an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Among all paths of the host the longest text first, of two as long the later one in the order of texts.
    Longest,
    /// Before every prefix.
    BeforePrefixes,
}

/// Each with its own documentation or source as the witness. How the others order expressions and other paths is not known.
static READINGS: &[Reading] = &[
    Reading { controller: Cilium, marked: MarkedExpression::Type, order: Order::BeforePrefixes },
    Reading {
        controller: IngressNginx,
        marked: MarkedExpression::Annotation("nginx.ingress.kubernetes.io/"),
        order: Order::Longest,
    },
    Reading { controller: Kong, marked: MarkedExpression::Beginning("/~"), order: Order::BeforePrefixes },
];

/// A path that its controller reads as a regular expression.
#[derive(Debug)]
pub struct Expression<'p> {
    written: &'p str,
    pattern: Pattern<'p>,
    order: Order,
}

/// Whether a path, as `written`, has characters that are special in expressions.
pub fn may_be_expression(written: &str) -> bool {
    written.bytes().any(|byte| SPECIAL.contains(&byte))
}

impl<'p> Expression<'p> {
    /// The expression that `controller` reads in a path, if it does; `annotation` is the one of the Ingress that asks for expressions, and
    /// `is_enforced` says whether another Ingress of the host asks for them.
    pub fn of(
        kind: PathType,
        written: &'p str,
        annotation: Option<&str>,
        is_enforced: bool,
        controller: Controller,
    ) -> Option<Self> {
        let reading = READINGS.iter().find(|reading| reading.controller == controller)?;
        let pattern = match reading.marked {
            MarkedExpression::Annotation(prefix) => {
                let is_asked_for = annotation.is_some_and(|key| key.starts_with(prefix));
                (is_asked_for || is_enforced).then(|| Pattern::of_beginning(written, true))?
            }
            MarkedExpression::Beginning(mark) => Pattern::of_beginning(written.strip_prefix(mark)?, false),
            MarkedExpression::Type => (kind == PathType::ImplementationSpecific).then(|| Pattern::new(written))?,
        };
        may_be_expression(written).then_some(Self { written, pattern, order: reading.order })
    }

    /// Whether it is asked before the path of another Ingress, and takes requests for just that path. Of another expression only what it
    /// begins with is looked at.
    pub fn matches(&self, other: Spelled<'_>) -> bool {
        let end = other.text.bytes().position(|byte| SPECIAL.contains(&byte)).unwrap_or(other.text.len());
        let (plain, is_expression) = (&other.text[..end], end < other.text.len());
        let is_first = match self.order {
            Order::Longest => {
                let by_length = self.written.len().cmp(&other.text.len());
                by_length.then_with(|| self.written.cmp(other.text)) == Ordering::Greater
            }
            Order::BeforePrefixes => other.kind != PathType::Exact && !is_expression,
        };
        is_first && !plain.is_empty() && self.pattern.matches(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::path_reading::Spelling;

    fn matches(controller: Controller, written: &str, other: (PathType, &str)) -> bool {
        let key = "nginx.ingress.kubernetes.io/use-regex";
        let expression = Expression::of(PathType::ImplementationSpecific, written, Some(key), false, controller);
        let other = Spelled { kind: other.0, text: other.1, spelling: Spelling::default() };
        expression.is_some_and(|expression| expression.matches(other))
    }

    #[test]
    fn an_expression_takes_what_it_matches_and_is_asked_before() {
        use PathType::{Exact, ImplementationSpecific, Prefix};
        for (controller, written, other, expected) in [
            (IngressNginx, "/.*", (Prefix, "/x"), true),
            (IngressNginx, "/x[^z]*", (Prefix, "/x"), true),
            (IngressNginx, "/X[^z]*", (Exact, "/x"), true),
            (IngressNginx, "/.*", (Prefix, "/"), true),
            (IngressNginx, "/.*", (Prefix, "/cart"), false),
            (IngressNginx, "/y[^z]*", (Prefix, "/x"), false),
            (IngressNginx, "/x(/|$)(.*)", (ImplementationSpecific, "/x(/|$)"), true),
            (IngressNginx, "/plain", (Prefix, "/plain"), false),
            (Kong, "/~/.*", (Prefix, "/cart/of/gold"), true),
            (Kong, "/~/.*", (Exact, "/cart"), false),
            (Kong, "/.*", (Prefix, "/cart"), false),
            (Kong, "/~/.*", (ImplementationSpecific, "/~/cart"), false),
            (Cilium, "/.*", (Prefix, "/cart"), true),
            (Cilium, "/c", (Prefix, "/cart"), false),
            (Cilium, "/c[a]", (Prefix, "/cart"), false),
            (Controller::Traefik, "/.*", (Prefix, "/cart"), false),
        ] {
            assert_eq!(matches(controller, written, other), expected, "{controller:?} {written} {other:?}");
        }
    }
}
