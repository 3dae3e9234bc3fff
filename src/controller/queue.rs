//! The objects that are to be written, by the time at which they are due.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::access::Access;
use portcullis_core::kinds::{Kind, ObjectRef};

/// One of so many writes is that of the object that has been due for longest; the others are those of the latest changes.
const OLDEST_EVERY: usize = 4;

/// The objects that are to be written. A change is written soon even if thousands of outdated objects wait, and each of these gets its
/// turn even if changes never end.
#[derive(Debug, Default)]
pub struct Queue {
    kinds: BTreeMap<Kind, KindQueue>,
    turns: usize,
}

/// The objects of one kind.
#[derive(Debug, Default)]
struct KindQueue {
    due: BTreeMap<Instant, BTreeSet<ObjectRef>>,
    count: usize,
    access: Access,
}

impl Queue {
    /// Adds an object. It must not be in the queue.
    pub fn add(&mut self, due: Instant, object_ref: ObjectRef) {
        let queue = self.of(object_ref.kind);
        queue.count += usize::from(queue.due.entry(due).or_default().insert(object_ref));
    }

    /// Removes an object that was added with this time. It may not be in the queue.
    pub fn remove(&mut self, due: Instant, object_ref: &ObjectRef) {
        let queue = self.of(object_ref.kind);
        let Some(objects) = queue.due.get_mut(&due) else { return };
        queue.count -= usize::from(objects.remove(object_ref));
        if objects.is_empty() {
            queue.due.remove(&due);
        }
    }

    /// Removes all objects, and forgets what may be written.
    pub fn clear(&mut self) {
        self.kinds.clear();
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.kinds.values().map(|queue| queue.count).sum()
    }

    /// When the next object may be written; `None` if there is none, or until a write that is under way has ended.
    pub fn next_due(&self, now: Instant) -> Option<Instant> {
        let next = |queue: &KindQueue| Some((*queue.due.first_key_value()?.0).max(queue.access.opens(now)?));
        self.kinds.values().filter_map(next).min()
    }

    /// Removes an object that may be written, and whose write is under way from now on.
    pub fn pop(&mut self, now: Instant) -> Option<ObjectRef> {
        let is_open = |queue: &&KindQueue| queue.access.opens(now).is_some_and(|opens| opens <= now);
        let open = self.kinds.values().filter(is_open);
        let next = match (self.turns + 1).is_multiple_of(OLDEST_EVERY) {
            true => open.filter_map(|queue| queue.oldest(now)).min(),
            false => open.filter_map(|queue| queue.latest(now)).max(),
        };
        let (due, object_ref) = next.map(|(due, object_ref)| (due, object_ref.clone()))?;
        self.turns += 1;
        self.remove(due, &object_ref);
        self.access(object_ref.kind).probe();
        Some(object_ref)
    }

    /// What is known of the right to write a kind.
    pub fn access(&mut self, kind: Kind) -> &mut Access {
        &mut self.of(kind).access
    }

    fn of(&mut self, kind: Kind) -> &mut KindQueue {
        self.kinds.entry(kind).or_default()
    }
}

impl KindQueue {
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
        assert!(queue.access(Kind::Gateway).forbid(now));
        queue.add(now + FORBIDDEN_RETRY, object_ref(Kind::Gateway, 0));
        assert_eq!(all(&mut queue, now + SECOND), [object_ref(Kind::HttpRoute, 0)]);
        let until = now + FORBIDDEN_RETRY;
        assert_eq!((queue.next_due(now), queue.len()), (Some(until), 3));
        assert_eq!(all(&mut queue, until).len(), 1, "one write shows whether this has changed");
        assert_eq!(queue.next_due(until), None);
        assert!(queue.access(Kind::Gateway).allow());
        assert_eq!((all(&mut queue, until).len(), queue.len()), (2, 0));
    }

    #[test]
    fn the_latest_change_is_first_and_no_older_one_is_starved() {
        let (start, mut queue) = (Instant::now(), Queue::default());
        queue.access(Kind::HttpRoute).allow();
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
