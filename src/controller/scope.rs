//! The objects of a kind in a namespace that are to be written, and the index of these by what may be done with them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::access::Access;
use portcullis_core::kinds::ObjectRef;

/// The objects of a kind in a namespace, which one role may grant to write.
#[derive(Debug, Default)]
pub struct Scope {
    /// What is known of the right to write them.
    pub access: Access,
    /// Those that are due, by the time at which they became due.
    pub due: BTreeMap<Instant, BTreeSet<ObjectRef>>,
    /// The number of objects, with those that are due later.
    pub count: usize,
}

/// The scopes of a kind by what may be done with them.
#[derive(Debug, Default)]
pub struct ScopeIndex {
    /// Those with a due object that may be written, by their first due object.
    pub oldest: BTreeSet<(Instant, String)>,
    /// The same by their last due object.
    pub latest: BTreeSet<(Instant, String)>,
    /// The forbidden ones with a due object, by the time at which a write may be tried again.
    pub retries: BTreeSet<(Instant, String)>,
    /// The forbidden ones without objects, by the same time. No write would show that they no longer are.
    pub expiring: BTreeSet<(Instant, String)>,
    /// How many may be written.
    pub allowed: usize,
    /// How many may not be written.
    pub forbidden: usize,
    /// Of how many a write is under way that will show whether they may be written.
    pub probed: usize,
}

impl Scope {
    /// Removes a due object. Returns whether it was there.
    pub fn remove(&mut self, due: Instant, object_ref: &ObjectRef) -> bool {
        let Some(objects) = self.due.get_mut(&due) else { return false };
        let is_removed = objects.remove(object_ref);
        if objects.is_empty() {
            self.due.remove(&due);
        }
        is_removed
    }

    /// The object that has been due for longest, or one of those that became due last.
    pub fn next(&self, is_oldest: bool) -> Option<(Instant, ObjectRef)> {
        let (due, objects) = if is_oldest { self.due.first_key_value() } else { self.due.last_key_value() }?;
        Some((*due, objects.first()?.clone()))
    }
}

impl ScopeIndex {
    /// Adds a scope as it is now.
    pub fn insert(&mut self, namespace: &str, scope: &Scope) {
        self.update(scope, |set, time| set.insert((time, namespace.to_owned())), |count| *count += 1);
    }

    /// Removes a scope, which must not have changed since it was added.
    pub fn remove(&mut self, namespace: &str, scope: &Scope) {
        self.update(scope, |set, time| set.remove(&(time, namespace.to_owned())), |count| *count -= 1);
    }

    /// Updates the sets and the numbers to which a scope belongs.
    fn update(
        &mut self,
        scope: &Scope,
        in_set: impl Fn(&mut BTreeSet<(Instant, String)>, Instant) -> bool,
        count: impl Fn(&mut usize),
    ) {
        match scope.access {
            Access::Allowed => count(&mut self.allowed),
            Access::Forbidden(_) => count(&mut self.forbidden),
            Access::Probed => count(&mut self.probed),
            Access::ProbedAgain => {
                count(&mut self.forbidden);
                count(&mut self.probed);
            }
            Access::Unknown => {}
        }
        let (first, last) = (scope.due.first_key_value(), scope.due.last_key_value());
        match (scope.access, first.zip(last)) {
            (Access::Unknown | Access::Allowed, Some(((first, _), (last, _)))) => {
                in_set(&mut self.oldest, *first);
                in_set(&mut self.latest, *last);
            }
            (Access::Forbidden(until), Some(_)) => {
                in_set(&mut self.retries, until);
            }
            (Access::Forbidden(until), None) if scope.count == 0 => {
                in_set(&mut self.expiring, until);
            }
            _ => {}
        }
    }
}
