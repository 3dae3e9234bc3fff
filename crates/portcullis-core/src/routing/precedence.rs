//! The precedence that the Gateway API defines for conflicting objects.

use std::cmp::Ordering;

use jiff::Timestamp;

use crate::kinds::ObjectRef;
use crate::names::HYPOTHETICAL_NAME;

/// Orders two objects by precedence, the preferred one first: the older one, then the first by `namespace/name`. An
/// object that has not been created yet is younger than those with a creation time, and a hypothetical one is the youngest.
pub fn compare(left: (Option<Timestamp>, &ObjectRef), right: (Option<Timestamp>, &ObjectRef)) -> Ordering {
    let age = |(created, object_ref): (Option<Timestamp>, &ObjectRef)| {
        (object_ref.name == HYPOTHETICAL_NAME, created.is_none(), created)
    };
    age(left).cmp(&age(right)).then_with(|| left.1.cmp_by_text(right.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Kind;

    #[test]
    fn a_hypothetical_object_is_the_youngest() {
        let of = |namespace: &str, name: &str| ObjectRef::new(Kind::HttpRoute, namespace, name);
        let (new, stored) = (of("a", HYPOTHETICAL_NAME), of("z", "shop"));
        let created: Timestamp = "2026-01-01T00:00:00Z".parse().expect("a timestamp");
        for time in [None, Some(created)] {
            assert_eq!(compare((None, &new), (time, &stored)), Ordering::Greater);
            assert_eq!(compare((time, &stored), (None, &new)), Ordering::Less);
        }
        assert_eq!(compare((None, &of("a", "b")), (None, &stored)), Ordering::Less, "by name without a time");
    }
}
