//! The place of a rule in Skipper, which looks up the path before it compares the host, and then tries the rule with the greatest weight
//! (`newMatcher` and `leafWeight` in routing/matcher.go).

use super::{Path, PathType};
use crate::kinds::Entries;

/// The predicates that Skipper adds to each rule.
pub const PREDICATES: &str = "zalando.org/skipper-predicate";

/// The distance between the places of two paths.
const PATH: i64 = 1 << 24;

/// What the annotation says about the place of each rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkipperPredicates {
    weight: i64,
    is_written: bool,
    /// Whether the predicates restrict the requests.
    pub narrow: bool,
}

impl SkipperPredicates {
    /// Reads the annotations of an Ingress.
    pub fn of(annotations: &Entries<'_>) -> Self {
        let Some(text) = annotations.get(PREDICATES).map(|text| text.trim()).filter(|text| !text.is_empty()) else {
            return Self::default();
        };
        let weights = text.split("Weight(").skip(1).map(|rest| rest.split(')').next().unwrap_or_default().trim());
        let weight = weights.clone().filter_map(|number| number.parse::<i64>().ok()).fold(0, i64::saturating_add);
        Self { weight, is_written: true, narrow: text.matches('(').count() > weights.count() }
    }

    /// The same without what changes the order.
    pub fn without_order(self) -> Self {
        Self { narrow: self.narrow, ..Self::default() }
    }

    /// How much they add to the place of each rule.
    pub fn weight(self) -> i64 {
        self.weight
    }

    /// The minimum and maximum place of the rule for a path, with a host or without, of which the greatest is tried first.
    pub fn place(self, path: &Path<'_>, has_host: bool) -> (i64, i64) {
        let ((least, most), host) = (place_of_path(path), i64::from(has_host));
        // Other predicates weigh something, too.
        let heaviest = if self.is_written { PATH - 1 } else { host };
        (least * PATH + self.weight.saturating_add(host).clamp(0, PATH - 1), most * PATH + heaviest)
    }
}

/// The greatest place that a rule with this place has without a weight.
pub fn without_weight(place: i64) -> i64 {
    place.div_euclid(PATH) * PATH + 1
}

/// The minimum and maximum place of a path: the longer one comes first, and an exact one before a prefix of the same length. What begins
/// with a slash and `:` or `*` matches any text. A path whose class decides is an expression, which is tried last, or a prefix, as the
/// installation says (`setPathV1` in dataclients/kubernetes/ingressv1.go).
fn place_of_path(path: &Path<'_>) -> (i64, i64) {
    let length = i64::try_from(path.text.len()).unwrap_or(PATH).min(PATH);
    match path.kind {
        PathType::ImplementationSpecific => (-1, 2 * length),
        _ if path.text.contains("/:") || path.text.contains("/*") => (-1, 2 * length + 1),
        PathType::Prefix => (2 * length, 2 * length),
        PathType::Exact => (2 * length + 1, 2 * length + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipper_looks_up_the_path_before_the_host() {
        let of = |text: &'static str| SkipperPredicates::of(&Entries(vec![(PREDICATES.into(), text.into())]));
        let is_before = |one: (&'static str, PathType, &str, bool), other: (&'static str, PathType, &str, bool)| {
            let place = |(text, kind, path, has_host)| of(text).place(&Path::new(kind, Some(path)), has_host);
            place(one).0 > place(other).1
        };
        let (prefix, exact, specific) = (PathType::Prefix, PathType::Exact, PathType::ImplementationSpecific);
        assert!(is_before(("", prefix, "/login", false), ("", prefix, "/", true)));
        assert!(is_before(("", exact, "/login", false), ("", prefix, "/login", true)));
        assert!(is_before(("", prefix, "/login", true), ("", prefix, "/login", false)));
        assert!(is_before(("Weight(100)", prefix, "/", false), ("", prefix, "/", true)));
        assert!(!is_before(("", prefix, "/", false), ("", prefix, "/", true)));
        assert!(!is_before(("Weight(100)", prefix, "/", false), ("Weight(1)", prefix, "/", true)));
        assert!(!is_before(("", prefix, "/:any", false), ("", prefix, "/", true)));
        assert!(!is_before(("Weight(100)", specific, "/", false), ("", prefix, "/", true)));
        assert!(of(r#"Weight(1) && Method("GET")"#).narrow && !of(" Weight(1)").narrow && !of("").narrow);
        let (place, _) = of("Weight(100)").place(&Path::new(prefix, Some("/a")), false);
        assert_eq!(without_weight(place), of("").place(&Path::new(prefix, Some("/a")), true).0);
    }
}
