//! The table of controllers that treat some paths of an Ingress as regular expressions, and of the order in which they
//! evaluate these paths and others.

use std::borrow::Cow;

use super::PathType;
use super::compile::{Reach, literal_prefix};
use super::controller::Controller::{self, Cilium, Contour, IngressNginx, Kong};
use super::expressions::{CompiledExpression, Expressions};
use super::path_interpretation::{NotatedPath, SPECIAL};

/// How a controller treats expressions.
#[derive(Debug)]
struct ExpressionRule {
    controller: Controller,
    /// Which paths are expressions.
    marked: MarkedExpression,
    /// When expressions are evaluated.
    order: Order,
}

/// What makes a path an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkedExpression {
    /// An annotation on any Ingress of the host. The expression must match the beginning of a path, ignoring case.
    Annotation,
    /// A prefix of the path, which the expression follows. The expression must match the beginning of a path.
    Beginning(&'static str),
    /// The type `ImplementationSpecific`, and one of these characters. The expression must match a whole path.
    Type(&'static [u8]),
}

/// When a controller evaluates an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Among all paths of the host, the longest text is first. Of two texts with equal length, the greater one is
    /// first.
    Longest,
    /// Before every prefix.
    BeforePrefixes,
}

/// Each entry follows the documentation or source code of the controller. How other controllers order expressions and
/// paths is not known.
static EXPRESSION_RULES: &[ExpressionRule] = &[
    ExpressionRule { controller: Cilium, marked: MarkedExpression::Type(SPECIAL), order: Order::BeforePrefixes },
    ExpressionRule { controller: Contour, marked: MarkedExpression::Type(b"^+*[]%"), order: Order::BeforePrefixes },
    ExpressionRule { controller: IngressNginx, marked: MarkedExpression::Annotation, order: Order::Longest },
    ExpressionRule { controller: Kong, marked: MarkedExpression::Beginning("/~"), order: Order::BeforePrefixes },
];

/// A path that its controller treats as a regular expression.
#[derive(Debug, Clone, Copy)]
pub struct Expression<'p> {
    written: &'p str,
    pattern: &'p str,
    reach: Reach,
    order: Order,
}

/// Whether a path, as `written`, contains characters that are special in expressions.
pub fn may_be_expression(written: &str) -> bool {
    written.bytes().any(|byte| SPECIAL.contains(&byte))
}

impl<'p> Expression<'p> {
    /// Returns the expression in a path if `controller` treats the path as one. `is_enabled` says whether an annotation that the
    /// controller reads enables expressions, on this Ingress or on another one of the host.
    pub fn of(kind: PathType, written: &'p str, is_enabled: bool, controller: Controller) -> Option<Self> {
        let rule = EXPRESSION_RULES.iter().find(|rule| rule.controller == controller)?;
        let (pattern, reach) = match rule.marked {
            MarkedExpression::Annotation => is_enabled.then_some((written, Reach::Beginning(true)))?,
            MarkedExpression::Beginning(mark) => (written.strip_prefix(mark)?, Reach::Beginning(false)),
            MarkedExpression::Type(marks) => {
                let is_marked = written.bytes().any(|byte| marks.contains(&byte));
                (is_marked && kind == PathType::ImplementationSpecific).then_some((written, Reach::Whole))?
            }
        };
        may_be_expression(written).then_some(Self { written, pattern, reach, order: rule.order })
    }

    /// The path that contains it, as written.
    pub fn written(&self) -> &'p str {
        self.written
    }

    /// The key that sorts expressions of one host so that of two, the last one is evaluated before as many paths of
    /// others as the first one, or more.
    pub fn order_key(&self) -> impl Ord + use<'p> {
        (self.written.len(), self.written)
    }

    /// Whether the controller evaluates the expression before the path of another Ingress.
    pub fn is_before(&self, other: &NotatedPath<'_>) -> bool {
        match self.order {
            Order::Longest => (self.written.len(), self.written) > (other.text.len(), other.text),
            Order::BeforePrefixes => other.kind != PathType::Exact && beginning(other.text) == other.text,
        }
    }

    /// The text with which every path begins that it matches.
    pub fn literal_prefix(&self) -> &'p str {
        literal_prefix(self.pattern)
    }

    /// A text in the form in which it can be compared with this expression.
    pub fn comparable<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.reach.ignores_case() && text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => Cow::Owned(text.to_ascii_lowercase()),
            false => Cow::Borrowed(text),
        }
    }

    /// The compiled expression.
    pub fn compiled(&self, expressions: &Expressions) -> CompiledExpression {
        expressions.get(self.pattern, self.reach)
    }
}

/// The literal beginning of a path, which is all of it unless it may be an expression.
pub fn beginning(text: &str) -> &str {
    &text[..text.bytes().position(|byte| SPECIAL.contains(&byte)).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::path_interpretation::PathNotation;

    fn matches(controller: Controller, written: &str, other: (PathType, &str)) -> bool {
        let expression = Expression::of(PathType::ImplementationSpecific, written, true, controller);
        let other = NotatedPath { kind: other.0, text: other.1, notation: PathNotation::default() };
        expression.filter(|expression| expression.is_before(&other)).is_some_and(|expression| {
            let (plain, compiled) = (beginning(other.text), expression.compiled(&Expressions::default()));
            let is_match = compiled.as_ref().as_ref().is_ok_and(|regex| regex.is_match(plain));
            let prefix = expression.comparable(expression.literal_prefix());
            assert!(!is_match || expression.comparable(plain).starts_with(&*prefix), "{written} {plain}");
            is_match
        })
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
            (Contour, "/.*", (Prefix, "/cart"), true),
            (Contour, "/c.t", (Prefix, "/cat"), false),
            (Controller::Traefik, "/.*", (Prefix, "/cart"), false),
        ] {
            assert_eq!(matches(controller, written, other), expected, "{controller:?} {written} {other:?}");
        }
    }
}
