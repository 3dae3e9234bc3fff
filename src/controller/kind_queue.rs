//! The objects of a kind that are to be written, and what is known of the right to write them.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use super::access::Access;
use super::scope::{Scope, ScopeIndex};
use portcullis_core::kinds::ObjectRef;

/// If a kind is forbidden in so many namespaces and allowed in none, a right for all namespaces is taken to be missing.
pub const SEVERAL: usize = 3;
/// How far apart writes then are that show whether this has changed. Each is in another namespace, so that a right for a single one of them
/// is found, too.
pub const PROBE_INTERVAL: Duration = Duration::from_secs(10);

/// The objects of a kind, and what is known of the right to write them. A scope is what one role may grant: the objects of the kind
/// in a namespace, which is empty for cluster-scoped kinds.
#[derive(Debug, Default)]
pub struct KindQueue {
    /// The objects that were not due when it was last looked.
    later: BTreeSet<(Instant, ObjectRef)>,
    /// By namespace. Each has objects, or something is known of the right to write it.
    scopes: HashMap<String, Scope>,
    index: ScopeIndex,
    /// When another write may be tried after the last one that was forbidden, if a right for all namespaces is missing.
    retry: Option<Instant>,
}

impl KindQueue {
    /// Adds an object. Returns whether it was new.
    pub fn add(&mut self, due: Instant, object_ref: ObjectRef) -> bool {
        let namespace = object_ref.namespace.clone();
        let is_new = self.later.insert((due, object_ref));
        self.change(&namespace, |scope| scope.count += usize::from(is_new));
        is_new
    }

    /// Removes an object that was added with this time. Returns whether it was there.
    pub fn remove(&mut self, due: Instant, object_ref: &ObjectRef) -> bool {
        let is_later = self.later.remove(&(due, object_ref.clone()));
        self.change(&object_ref.namespace, |scope| {
            let is_removed = is_later || scope.remove(due, object_ref);
            scope.count -= usize::from(is_removed);
            is_removed
        })
    }

    /// When the next object may be written; `None` if there is none, or until a write that is under way has ended.
    pub fn next_due(&mut self, now: Instant) -> Option<Instant> {
        self.advance(now);
        if self.waits_for_a_probe() {
            return None;
        }
        let open = self.index.oldest.first().map(|_| now);
        let retry = self.next_retry(now).map(|(until, _)| until);
        let later = self.later.first().map(|(due, _)| *due);
        [open, retry, later].into_iter().flatten().min()
    }

    /// The object to write next: the one that has been due for longest, or the one that became due last.
    pub fn next(&mut self, is_oldest: bool, now: Instant) -> Option<(Instant, ObjectRef)> {
        self.advance(now);
        if self.waits_for_a_probe() {
            return None;
        }
        let open = if is_oldest { self.index.oldest.first() } else { self.index.latest.last() };
        let retry = self.next_retry(now).filter(|(until, _)| *until <= now).map(|(_, namespace)| namespace);
        let scopes = [open.map(|(_, namespace)| namespace), retry].into_iter().flatten();
        let candidates = scopes.filter_map(|namespace| self.scopes.get(namespace)?.next(is_oldest));
        if is_oldest { candidates.min() } else { candidates.max() }
    }

    /// When a write of a forbidden scope may be tried again, and of which one: that which was tried least recently.
    fn next_retry(&self, now: Instant) -> Option<(Instant, &String)> {
        let (until, namespace) = self.index.retries.first()?;
        let all = self.retry.filter(|_| self.is_probed_as_one());
        Some(((*until).max(all.unwrap_or(now)).max(now), namespace))
    }

    /// Whether a right for all namespaces is missing, as far as is known. Each namespace is tried once, one at a time, and then again
    /// in turns.
    fn is_probed_as_one(&self) -> bool {
        self.index.forbidden >= SEVERAL && self.index.allowed == 0
    }

    fn waits_for_a_probe(&self) -> bool {
        self.is_probed_as_one() && self.index.probed > 0
    }

    /// Takes in what has become due, and forgets what nothing would show any more.
    fn advance(&mut self, now: Instant) {
        while let Some((due, object_ref)) = self.later.pop_first() {
            if due > now {
                self.later.insert((due, object_ref));
                break;
            }
            let namespace = object_ref.namespace.clone();
            self.change(&namespace, |scope| scope.due.entry(due).or_default().insert(object_ref));
        }
        while let Some((until, namespace)) = self.index.expiring.first().cloned() {
            if until > now {
                break;
            }
            self.forget(&namespace);
        }
    }

    /// Records that a write in a namespace was forbidden. Returns whether no earlier one was, as far as is known.
    pub fn forbid(&mut self, namespace: &str, now: Instant) -> bool {
        self.retry = Some(now + PROBE_INTERVAL);
        self.access(namespace, |access| access.forbid(now))
    }

    /// The number of namespaces in which a write was forbidden.
    pub fn forbidden(&self) -> usize {
        self.index.forbidden
    }

    /// Forgets what may be written in a namespace.
    pub fn forget(&mut self, namespace: &str) {
        self.access(namespace, |access| *access = Access::Unknown);
    }

    /// Changes what is known of the right to write in a namespace.
    pub fn access<T>(&mut self, namespace: &str, change: impl FnOnce(&mut Access) -> T) -> T {
        self.change(namespace, |scope| change(&mut scope.access))
    }

    /// Whether it has no objects, and no knowledge of rights.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.scopes.is_empty() && self.index.expiring.is_empty()
    }

    /// Changes a scope, and its place in the index.
    fn change<T>(&mut self, namespace: &str, change: impl FnOnce(&mut Scope) -> T) -> T {
        if !self.scopes.contains_key(namespace) {
            self.scopes.insert(namespace.to_owned(), Scope::default());
        }
        let scope = self.scopes.get_mut(namespace).expect("it was inserted");
        self.index.remove(namespace, scope);
        let result = change(scope);
        match scope.count == 0 && scope.access == Access::Unknown {
            true => drop(self.scopes.remove(namespace)),
            false => self.index.insert(namespace, scope),
        }
        result
    }
}
