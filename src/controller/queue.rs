//! The objects that are to be written, by the time at which they are due.

use std::collections::BTreeMap;
use std::time::Instant;

use super::access::Access;
use super::kind_queue::KindQueue;
use portcullis_core::kinds::{Kind, ObjectRef};

/// One of so many writes is that of the object that has been due for longest; the others are those of the latest changes.
const OLDEST_EVERY: usize = 4;

/// The objects that are to be written. A change is written soon even if thousands of outdated objects wait, and each of these gets its
/// turn even if changes never end. Each operation takes logarithmic time, however many namespaces there are.
#[derive(Debug, Default)]
pub struct Queue {
    kinds: BTreeMap<Kind, KindQueue>,
    count: usize,
    turns: usize,
}

impl Queue {
    /// Adds an object. It must not be in the queue.
    pub fn add(&mut self, due: Instant, object_ref: ObjectRef) {
        self.count += usize::from(self.kinds.entry(object_ref.kind).or_default().add(due, object_ref));
    }

    /// Removes an object that was added with this time. It may not be in the queue.
    pub fn remove(&mut self, due: Instant, object_ref: &ObjectRef) {
        let Some(kind) = self.kinds.get_mut(&object_ref.kind) else { return };
        self.count -= usize::from(kind.remove(due, object_ref));
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
    pub fn next_due(&mut self, now: Instant) -> Option<Instant> {
        self.kinds.values_mut().filter_map(|kind| kind.next_due(now)).min()
    }

    /// Removes an object that may be written, and whose write is under way from now on.
    pub fn pop(&mut self, now: Instant) -> Option<ObjectRef> {
        let is_oldest = (self.turns + 1).is_multiple_of(OLDEST_EVERY);
        let next = self.kinds.values_mut().filter_map(|kind| kind.next(is_oldest, now));
        let (due, object_ref) = if is_oldest { next.min() } else { next.max() }?;
        self.turns += 1;
        self.remove(due, &object_ref);
        self.change(&object_ref, Access::probe);
        Some(object_ref)
    }

    /// Records that a write that was popped is not made after all.
    pub fn skip(&mut self, object_ref: &ObjectRef, now: Instant) {
        self.change(object_ref, |access| access.skip(now));
    }

    /// Records that a write was not forbidden. Returns whether this ends a time in which the writes of this kind in this namespace were.
    pub fn allow(&mut self, object_ref: &ObjectRef) -> bool {
        self.change(object_ref, Access::allow)
    }

    /// Records that a write was forbidden. Returns whether no earlier one was, as far as is known.
    pub fn forbid(&mut self, object_ref: &ObjectRef, now: Instant) -> bool {
        self.kinds.entry(object_ref.kind).or_default().forbid(&object_ref.namespace, now)
    }

    /// Forgets what may be written of a kind in a namespace in which no object of the kind is left.
    pub fn forget(&mut self, kind: Kind, namespace: &str) {
        if let Some(kind) = self.kinds.get_mut(&kind) {
            kind.forget(namespace);
        }
    }

    /// The number of namespaces in which a kind may not be written, as far as it was tried; 1 for a cluster-scoped kind.
    pub fn forbidden(&self, kind: Kind) -> usize {
        self.kinds.get(&kind).map_or(0, KindQueue::forbidden)
    }

    /// The kinds of which something may be forbidden.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.kinds.keys().copied()
    }

    fn change<T>(&mut self, object_ref: &ObjectRef, change: impl FnOnce(&mut Access) -> T) -> T {
        self.kinds.entry(object_ref.kind).or_default().access(&object_ref.namespace, change)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};
    use std::time::Duration;

    use super::super::access::FORBIDDEN_RETRY;
    use super::super::kind_queue::{PROBE_INTERVAL, SEVERAL};
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
        assert!(queue.forbid(&object_ref(Kind::Gateway, 0), now));
        queue.add(now + FORBIDDEN_RETRY, object_ref(Kind::Gateway, 0));
        assert_eq!(all(&mut queue, now + SECOND), [object_ref(Kind::HttpRoute, 0)]);
        let until = now + FORBIDDEN_RETRY;
        assert_eq!((queue.next_due(now), queue.len()), (Some(until), 3));
        assert_eq!(all(&mut queue, until).len(), 1, "one write shows whether this has changed");
        assert_eq!(queue.next_due(until), None);
        assert!(queue.allow(&object_ref(Kind::Gateway, 0)));
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
        assert!(queue.forbid(&of("a", "x"), now) && !queue.allow(&of("b", "x")));
        assert_eq!(all(&mut queue, now).iter().map(|popped| &*popped.namespace).collect::<Vec<_>>(), ["b"]);
        assert_eq!((queue.forbidden(Kind::HttpRoute), queue.forbidden(Kind::Gateway)), (1, 0));
        let until = now + FORBIDDEN_RETRY;
        assert_eq!(
            (queue.next_due(now), all(&mut queue, until).len(), queue.forbidden(Kind::HttpRoute)),
            (Some(until), 1, 1)
        );
        assert!(queue.allow(&of("a", "x")));
        assert_eq!((queue.forbidden(Kind::HttpRoute), queue.len()), (0, 0));
        // A cluster-scoped kind is one scope.
        ["x", "y"].into_iter().for_each(|name| queue.add(now, ObjectRef::new(Kind::GatewayClass, "", name)));
        assert_eq!(all(&mut queue, now).len(), 1);
    }

    #[test]
    fn the_latest_change_is_first_and_no_older_one_is_starved() {
        let (start, mut queue) = (Instant::now(), Queue::default());
        queue.allow(&object_ref(Kind::HttpRoute, 0));
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
    fn queue_entry_waits_until_due_and_can_be_removed() {
        let (now, mut queue) = (Instant::now(), Queue::default());
        queue.add(now + SECOND, object_ref(Kind::Gateway, 1));
        assert_eq!((queue.pop(now), queue.next_due(now)), (None, Some(now + SECOND)));
        queue.remove(now, &object_ref(Kind::Gateway, 1));
        assert_eq!(queue.len(), 1, "it was added with another time");
        queue.remove(now + SECOND, &object_ref(Kind::Gateway, 1));
        assert_eq!((queue.len(), queue.next_due(now)), (0, None));
    }

    /// A right of all namespaces is missing.
    #[test]
    fn a_right_that_is_missing_everywhere_is_tried_with_one_write_at_a_time() {
        const COUNT: usize = 40;
        let (start, mut queue) = (Instant::now(), Queue::default());
        let of = |number: usize, name: &str| ObjectRef::new(Kind::HttpRoute, &format!("n{number:02}"), name);
        (0..COUNT).for_each(|number| ["x", "y"].into_iter().for_each(|name| queue.add(start, of(number, name))));
        let mut first: Vec<ObjectRef> = (0..SEVERAL).filter_map(|_| queue.pop(start)).collect();
        for object_ref in &first {
            assert!(queue.forbid(object_ref, start));
            queue.add(start, object_ref.clone());
        }
        while let Some(object_ref) = queue.pop(start) {
            assert_eq!((queue.pop(start), queue.next_due(start)), (None, None), "one namespace at a time");
            queue.forbid(&object_ref, start);
            queue.add(start, object_ref.clone());
            first.push(object_ref);
        }
        let namespaces = |all: &[ObjectRef]| all.iter().map(|own| own.namespace.clone()).collect::<BTreeSet<_>>().len();
        assert_eq!((first.len(), namespaces(&first)), (COUNT, COUNT), "each namespace is tried once");
        assert_eq!((queue.forbidden(Kind::HttpRoute), queue.len()), (COUNT, 2 * COUNT));

        let mut retried = Vec::new();
        for turn in 0..u32::try_from(COUNT).expect("small") {
            let now = start + FORBIDDEN_RETRY + PROBE_INTERVAL * turn;
            assert_eq!(queue.next_due(now - SECOND), Some(now));
            let popped = all(&mut queue, now);
            assert_eq!(popped.len(), 1, "one write for the kind");
            assert!(!queue.forbid(&popped[0], now));
            queue.add(now, popped[0].clone());
            retried.extend(popped);
        }
        assert_eq!(namespaces(&retried), COUNT, "each namespace gets its turn");

        let now = start + FORBIDDEN_RETRY * 100;
        let granted = queue.pop(now).expect("one write shows whether this has changed");
        assert!(queue.allow(&granted));
        let popped = all(&mut queue, now);
        assert_eq!(popped.len(), COUNT, "the rest of its namespace, and one write in each other one");
        assert_eq!(popped.iter().filter(|own| own.namespace == granted.namespace).count(), 1);
    }

    #[test]
    fn forbidden_namespaces_are_forgotten_with_their_objects() {
        let (now, mut queue) = (Instant::now(), Queue::default());
        let (gone, left) = (ObjectRef::new(Kind::HttpRoute, "a", "x"), ObjectRef::new(Kind::HttpRoute, "b", "x"));
        for object_ref in [&gone, &left] {
            queue.add(now, object_ref.clone());
            assert_eq!(queue.pop(now).as_ref(), Some(object_ref));
            assert!(queue.forbid(object_ref, now));
        }
        queue.forget(Kind::HttpRoute, "a");
        queue.forget(Kind::Gateway, "a");
        assert_eq!(queue.forbidden(Kind::HttpRoute), 1, "namespace a was deleted");
        // The object in namespace b does not need a write any more, so none would show whether it may be made.
        let until = now + FORBIDDEN_RETRY;
        assert_eq!((queue.next_due(until - SECOND), queue.forbidden(Kind::HttpRoute)), (None, 1));
        assert_eq!((queue.next_due(until), queue.forbidden(Kind::HttpRoute)), (None, 0));
        assert!(queue.kinds.values().all(KindQueue::is_empty));
    }

    /// With time in proportion to the number of namespaces for each object, this takes minutes.
    #[test]
    fn thousands_of_namespaces_are_written_one_by_one() {
        let (start, mut queue) = (Instant::now(), Queue::default());
        let count: usize = 20_000;
        for number in 0..count {
            let due = start + Duration::from_micros(number as u64);
            queue.add(due, ObjectRef::new(Kind::HttpRoute, &format!("n{number}"), "x"));
        }
        let (now, mut last) = (start + SECOND, BTreeSet::new());
        while queue.next_due(now) == Some(now) {
            let object_ref = queue.pop(now).expect("it is due");
            queue.allow(&object_ref);
            last.insert(object_ref);
        }
        assert_eq!((last.len(), queue.len(), queue.next_due(now)), (count, 0, None));
    }

    /// The queue compared with a list that is searched as a whole.
    #[test]
    fn the_index_finds_what_a_search_finds() {
        let start = Instant::now();
        let mut seed = 7_u64;
        let mut below = |limit: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % limit
        };
        let (mut queue, mut listed) = (Queue::default(), BTreeSet::new());
        let mut access: HashMap<String, Access> = HashMap::new();
        let is_under_way = |access: Access| matches!(access, Access::Probed | Access::ProbedAgain);
        let is_over = |access: Access, now: Instant| matches!(access, Access::Forbidden(until) if until <= now);
        let (mut now, mut popped) = (start, 0);
        for _ in 0..20_000 {
            now += Duration::from_millis(below(400));
            let object_ref = ObjectRef::new(Kind::HttpRoute, &below(6).to_string(), &below(4).to_string());
            let is_listed = listed.iter().find(|(_, known)| *known == object_ref).cloned();
            match (below(4), is_listed) {
                (0 | 1, None) => {
                    let due = now + Duration::from_millis(below(2_000));
                    queue.add(due, object_ref.clone());
                    listed.insert((due, object_ref));
                }
                (0, Some((due, _))) => {
                    queue.remove(due, &object_ref);
                    listed.remove(&(due, object_ref));
                }
                (2, _) => {
                    let known = access.entry(object_ref.namespace.clone()).or_default();
                    match below(3) {
                        _ if !is_under_way(*known) => {}
                        0 => assert_eq!(queue.forbid(&object_ref, now), known.forbid(now)),
                        1 => assert_eq!(queue.allow(&object_ref), known.allow()),
                        _ => {
                            queue.skip(&object_ref, now);
                            known.skip(now);
                        }
                    }
                }
                _ => {
                    let is_empty = |namespace: &str| !listed.iter().any(|(_, own)| *own.namespace == *namespace);
                    access.retain(|namespace, access| !(is_over(*access, now) && is_empty(namespace)));
                    let of = |namespace: &str| access.get(namespace).copied().unwrap_or_default();
                    let is_open = |(due, own): &&(Instant, ObjectRef)| {
                        let access = of(&own.namespace);
                        *due <= now && (matches!(access, Access::Unknown | Access::Allowed) || is_over(access, now))
                    };
                    let open: Vec<_> = listed.iter().filter(is_open).cloned().collect();
                    let forbidden = access.values().filter(|access| access.is_forbidden()).count();
                    let is_one = forbidden >= SEVERAL && !access.values().any(|access| *access == Access::Allowed);
                    let next = queue.pop(now);
                    assert!(is_one || next.is_some() != open.is_empty(), "{queue:#?}");
                    assert_eq!(queue.forbidden(Kind::HttpRoute), forbidden);
                    if let Some(next) = next {
                        let known = open.iter().find(|(_, own)| *own == next).expect("it may be written");
                        listed.remove(known);
                        access.entry(next.namespace).or_default().probe();
                        popped += 1;
                    }
                }
            }
            assert_eq!(queue.len(), listed.len());
        }
        assert!(popped > 1_000, "{popped}");
    }
}
