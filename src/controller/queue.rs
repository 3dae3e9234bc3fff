//! The objects that are to be written, by the time at which they are due.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use portcullis_core::kinds::{Kind, ObjectRef};

/// How long a kind whose status may not be written is left alone.
pub const FORBIDDEN_RETRY: Duration = Duration::from_secs(180);

/// The objects that are to be written.
#[derive(Debug, Default)]
pub struct Queue {
    due: BTreeSet<(Instant, ObjectRef)>,
    /// The kinds whose status may not be written, and until when they are left alone.
    forbidden: HashMap<Kind, Instant>,
}

impl Queue {
    /// Adds an object. It must not be in the queue.
    pub fn add(&mut self, due: Instant, object_ref: ObjectRef) {
        self.due.insert((due, object_ref));
    }

    /// Removes an object that was added with this time.
    pub fn remove(&mut self, due: Instant, object_ref: &ObjectRef) {
        self.due.remove(&(due, object_ref.clone()));
    }

    /// Removes all objects.
    pub fn clear(&mut self) {
        self.due.clear();
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.due.len()
    }

    /// When the next object is due.
    pub fn next_due(&self) -> Option<Instant> {
        self.due.first().map(|(due, _)| *due)
    }

    /// Removes an object that is due. The second value is an object that is due but whose kind is left alone, with its new time.
    pub fn pop(&mut self, now: Instant) -> Option<Popped> {
        let (due, object_ref) = self.due.pop_first()?;
        if due > now {
            self.due.insert((due, object_ref));
            return None;
        }
        match self.forbidden.get(&object_ref.kind).filter(|until| **until > now) {
            Some(until) => {
                self.due.insert((*until, object_ref.clone()));
                Some(Popped::Postponed(object_ref, *until))
            }
            None => Some(Popped::Due(object_ref)),
        }
    }

    /// Leaves a kind alone for a while. Returns whether it was not forbidden before.
    pub fn forbid(&mut self, kind: Kind, now: Instant) -> bool {
        self.forbidden.insert(kind, now + FORBIDDEN_RETRY).is_none()
    }

    /// Records that a status of the kind was written. Returns whether that was forbidden before.
    pub fn allow(&mut self, kind: Kind) -> bool {
        self.forbidden.remove(&kind).is_some()
    }
}

/// The next object of a queue.
#[derive(Debug, PartialEq, Eq)]
pub enum Popped {
    /// It is to be written, and no longer in the queue.
    Due(ObjectRef),
    /// Its kind may not be written, so it is in the queue with this time.
    Postponed(ObjectRef, Instant),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forbidden_kind_does_not_delay_others() {
        let (now, second) = (Instant::now(), Duration::from_secs(1));
        let object_ref = |kind: Kind| ObjectRef::new(kind, "web", "shop");
        let mut queue = Queue::default();
        queue.add(now, object_ref(Kind::Gateway));
        queue.add(now + second, object_ref(Kind::HttpRoute));
        assert!(queue.forbid(Kind::Gateway, now) && !queue.forbid(Kind::Gateway, now));
        let until = now + FORBIDDEN_RETRY;
        assert_eq!(queue.pop(now), Some(Popped::Postponed(object_ref(Kind::Gateway), until)));
        assert_eq!(queue.pop(now), None);
        assert_eq!(queue.pop(now + second), Some(Popped::Due(object_ref(Kind::HttpRoute))));
        assert_eq!(queue.next_due(), Some(until));
        assert_eq!(queue.pop(until), Some(Popped::Due(object_ref(Kind::Gateway))));
        assert!(queue.allow(Kind::Gateway) && !queue.allow(Kind::Gateway));
    }
}
