//! The objects that are to be written, by the time at which they are due.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Instant;

use super::access::Access;
use portcullis_core::kinds::{Kind, ObjectRef};

/// One of so many writes is that of the object that has been due for longest; the others are those of the latest changes.
const OLDEST_EVERY: usize = 4;

/// The objects that are to be written. A change is written soon even if thousands of outdated objects wait, and each of these gets its
/// turn even if changes never end.
#[derive(Debug, Default)]
pub struct Queue {
    /// The objects by scope. No list is empty.
    scopes: BTreeMap<Scope, ScopeQueue>,
    access: HashMap<Scope, Access>,
    count: usize,
    turns: usize,
}

/// What one role may grant: the objects of a kind in a namespace, which is empty for cluster-scoped kinds.
type Scope = (Kind, String);

/// The objects of one scope.
#[derive(Debug, Default)]
struct ScopeQueue {
    due: BTreeMap<Instant, BTreeSet<ObjectRef>>,
}

impl Queue {
    /// Adds an object. It must not be in the queue.
    pub fn add(&mut self, due: Instant, object_ref: ObjectRef) {
        let queue = self.scopes.entry(scope(&object_ref)).or_default();
        self.count += usize::from(queue.due.entry(due).or_default().insert(object_ref));
    }

    /// Removes an object that was added with this time. It may not be in the queue.
    pub fn remove(&mut self, due: Instant, object_ref: &ObjectRef) {
        let scope = scope(object_ref);
        let Some(queue) = self.scopes.get_mut(&scope) else { return };
        let Some(objects) = queue.due.get_mut(&due) else { return };
        self.count -= usize::from(objects.remove(object_ref));
        if objects.is_empty() {
            queue.due.remove(&due);
        }
        if queue.due.is_empty() {
            self.scopes.remove(&scope);
        }
    }

    /// Removes all objects, and forgets what may be written.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.count
    }

    /// When the next object may be written; `None` if there is none, or until a write that is under way has ended.
    pub fn next_due(&self, now: Instant) -> Option<Instant> {
        let next = |(scope, queue): (&Scope, &ScopeQueue)| {
            Some((*queue.due.first_key_value()?.0).max(self.opens(scope, now)?))
        };
        self.scopes.iter().filter_map(next).min()
    }

    /// Removes an object that may be written, and whose write is under way from now on.
    pub fn pop(&mut self, now: Instant) -> Option<ObjectRef> {
        let is_open = |(scope, _): &(&Scope, &ScopeQueue)| self.opens(scope, now).is_some_and(|opens| opens <= now);
        let open = self.scopes.iter().filter(is_open).map(|(_, queue)| queue);
        let next = match (self.turns + 1).is_multiple_of(OLDEST_EVERY) {
            true => open.filter_map(|queue| queue.oldest(now)).min(),
            false => open.filter_map(|queue| queue.latest(now)).max(),
        };
        let (due, object_ref) = next.map(|(due, object_ref)| (due, object_ref.clone()))?;
        self.turns += 1;
        self.remove(due, &object_ref);
        self.access(&object_ref).probe();
        Some(object_ref)
    }

    /// What is known of the right to write an object, and others of its kind and namespace.
    pub fn access(&mut self, object_ref: &ObjectRef) -> &mut Access {
        self.access.entry(scope(object_ref)).or_default()
    }

    /// The number of namespaces in which a kind may not be written; 1 for a cluster-scoped kind.
    pub fn forbidden(&self, kind: Kind) -> usize {
        self.access.iter().filter(|((of, _), access)| *of == kind && access.is_forbidden()).count()
    }

    /// When the next object of a scope may be written.
    fn opens(&self, scope: &Scope, now: Instant) -> Option<Instant> {
        self.access.get(scope).copied().unwrap_or_default().opens(now)
    }
}

fn scope(object_ref: &ObjectRef) -> Scope {
    (object_ref.kind, object_ref.namespace.clone())
}

impl ScopeQueue {
    /// The object that has been due for longest.
    fn oldest(&self, now: Instant) -> Option<(Instant, &ObjectRef)> {
        let (due, objects) = self.due.first_key_value().filter(|(due, _)| **due <= now)?;
        Some((*due, objects.first()?))
    }

    /// The object that became due last.
    fn latest(&self, now: Instant) -> Option<(Instant, &ObjectRef)> {
        let (due, objects) = self.due.range(..=now).next_back()?;
        Some((*due, objects.first()?))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::access::FORBIDDEN_RETRY;
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn object_ref(kind: Kind, number: usize) -> ObjectRef {
        ObjectRef::new(kind, "web", &number.to_string())
    }

    /// What is popped at a time, until nothing is due.
    fn all(queue: &mut Queue, now: Instant) -> Vec<ObjectRef> {
        std::iter::from_fn(|| queue.pop(now)).collect()
    }

    #[test]
    fn a_forbidden_kind_does_not_delay_others() {
        let (now, mut queue) = (Instant::now(), Queue::default());
        (0..3).for_each(|number| queue.add(now, object_ref(Kind::Gateway, number)));
        queue.add(now + SECOND, object_ref(Kind::HttpRoute, 0));
        assert_eq!(
            all(&mut queue, now),
            [object_ref(Kind::Gateway, 0)],
            "one write shows whether the kind may be written"
        );
        assert_eq!(queue.next_due(now), Some(now + SECOND));
        assert!(queue.access(&object_ref(Kind::Gateway, 0)).forbid(now));
        queue.add(now + FORBIDDEN_RETRY, object_ref(Kind::Gateway, 0));
        assert_eq!(all(&mut queue, now + SECOND), [object_ref(Kind::HttpRoute, 0)]);
        let until = now + FORBIDDEN_RETRY;
        assert_eq!((queue.next_due(now), queue.len()), (Some(until), 3));
        assert_eq!(all(&mut queue, until).len(), 1, "one write shows whether this has changed");
        assert_eq!(queue.next_due(until), None);
        assert!(queue.access(&object_ref(Kind::Gateway, 0)).allow());
        assert_eq!((all(&mut queue, until).len(), queue.len()), (2, 0));
    }

    #[test]
    fn a_forbidden_namespace_does_not_delay_others() {
        let (now, mut queue) = (Instant::now(), Queue::default());
        let of = |namespace: &str, name: &str| ObjectRef::new(Kind::HttpRoute, namespace, name);
        for namespace in ["a", "b"] {
            ["x", "y"].into_iter().for_each(|name| queue.add(now, of(namespace, name)));
        }
        let probes = all(&mut queue, now);
        assert_eq!(probes.len(), 2, "one write in each namespace shows whether the kind may be written there");
        assert!(queue.access(&of("a", "x")).forbid(now) && !queue.access(&of("b", "x")).allow());
        assert_eq!(all(&mut queue, now).iter().map(|popped| &*popped.namespace).collect::<Vec<_>>(), ["b"]);
        assert_eq!((queue.forbidden(Kind::HttpRoute), queue.forbidden(Kind::Gateway)), (1, 0));
        let until = now + FORBIDDEN_RETRY;
        assert_eq!(
            (queue.next_due(now), all(&mut queue, until).len(), queue.forbidden(Kind::HttpRoute)),
            (Some(until), 1, 1)
        );
        assert!(queue.access(&of("a", "x")).allow());
        assert_eq!((queue.forbidden(Kind::HttpRoute), queue.len()), (0, 0));
        // A cluster-scoped kind is one scope.
        ["x", "y"].into_iter().for_each(|name| queue.add(now, ObjectRef::new(Kind::GatewayClass, "", name)));
        assert_eq!(all(&mut queue, now).len(), 1);
    }

    #[test]
    fn the_latest_change_is_first_and_no_older_one_is_starved() {
        let (start, mut queue) = (Instant::now(), Queue::default());
        queue.access(&object_ref(Kind::HttpRoute, 0)).allow();
        (0..100).for_each(|number| queue.add(start, object_ref(Kind::HttpRoute, number)));
        let mut old = 0;
        for number in 100..500 {
            let now = start + SECOND * u32::try_from(number).expect("small");
            let fresh = object_ref(Kind::HttpRoute, number);
            queue.add(now, fresh.clone());
            let popped: Vec<ObjectRef> = [queue.pop(now), queue.pop(now)].into_iter().flatten().collect();
            assert!(popped.contains(&fresh), "the latest change is among the next two");
            old += popped.iter().filter(|popped| popped.name.parse::<usize>().is_ok_and(|number| number < 100)).count();
        }
        assert_eq!((old, queue.len()), (100, 0));
    }

    #[test]
    fn what_is_not_due_waits_and_can_be_removed() {
        let (now, mut queue) = (Instant::now(), Queue::default());
        queue.add(now + SECOND, object_ref(Kind::Gateway, 1));
        assert_eq!((queue.pop(now), queue.next_due(now)), (None, Some(now + SECOND)));
        queue.remove(now, &object_ref(Kind::Gateway, 1));
        assert_eq!(queue.len(), 1, "it was added with another time");
        queue.remove(now + SECOND, &object_ref(Kind::Gateway, 1));
        assert_eq!((queue.len(), queue.next_due(now)), (0, None));
    }
}
