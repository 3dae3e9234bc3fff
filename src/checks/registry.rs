//! Every check there is, as data.

use super::{Check, host, ingress, ingress_class, object};

/// All checks, ordered by id.
pub fn all() -> impl Iterator<Item = &'static Check> + Clone {
    let families: [&'static [&'static Check]; 4] = [host::ALL, ingress::ALL, ingress_class::ALL, object::ALL];
    families.into_iter().flatten().copied()
}

/// The check of this id.
pub fn find(id: &str) -> Option<&'static Check> {
    all().find(|check| check.id == id)
}

/// Ids of checks that are gone; none is ever used again.
pub const RETIRED: &[&str] = &[];
