//! Objects that gave up a claim by an admitted write: a deletion, or an update of what they claim. Until the view shows that write, it
//! shows a conflict with an older state.

use std::collections::HashMap;
use std::time::Duration;

use crate::kinds::ObjectRef;

/// How long the view may show the older state. After that, the write was not stored.
const LIFETIME: Duration = Duration::from_secs(2);
/// The maximum number of objects. Further ones are not remembered.
const MAX_OBJECTS: usize = 1024;

/// The objects, each until a time on the clock of the reservations.
#[derive(Debug, Default)]
pub struct ReleasedClaims(HashMap<ObjectRef, Duration>);

impl ReleasedClaims {
    /// Remembers that the object gives up a claim.
    pub fn add(&mut self, object_ref: &ObjectRef, now: Duration) {
        if self.0.len() >= MAX_OBJECTS {
            self.0.retain(|_, until| *until > now);
        }
        if self.0.len() < MAX_OBJECTS || self.0.contains_key(object_ref) {
            self.0.insert(object_ref.clone(), now + LIFETIME);
        }
    }

    /// Forgets an object, since the view shows what it claims now.
    pub fn remove(&mut self, object_ref: &ObjectRef) {
        self.0.remove(object_ref);
    }

    /// Whether the object gave up a claim a moment ago.
    pub fn holds(&self, object_ref: &ObjectRef, now: Duration) -> bool {
        self.0.get(object_ref).is_some_and(|until| *until > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Kind;

    #[test]
    fn objects_are_remembered_for_a_moment_and_not_without_limit() {
        let object = |number: usize| ObjectRef::new(Kind::Ingress, "web", &number.to_string());
        let (mut released, second) = (ReleasedClaims::default(), Duration::from_secs(1));
        (0..2 * MAX_OBJECTS).for_each(|number| released.add(&object(number), second));
        assert!(released.holds(&object(0), 2 * second) && !released.holds(&object(MAX_OBJECTS), 2 * second));
        assert!(!released.holds(&object(0), second + LIFETIME));
        released.add(&object(MAX_OBJECTS), second + LIFETIME);
        assert_eq!(released.0.len(), 1, "what is over makes room");
    }
}
