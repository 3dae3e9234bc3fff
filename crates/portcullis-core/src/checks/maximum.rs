//! The maximum action for one write, after all layers.

use crate::finding::Action;

/// The maximum action for one write (`maxAction`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Maximum {
    /// The strictest action that a finding can have.
    pub action: Action,
    /// Whether labels that are not known may raise it.
    pub may_rise: bool,
}

impl Maximum {
    /// The maximum for all writes.
    pub const fn of(action: Action) -> Self {
        Self { action, may_rise: false }
    }

    /// Replaces the maximum by that of an override, as [`Layers::effective`](super::layers::Layers::effective) does with actions: one that
    /// raises it applies if the override matches in one class of the object (`in_any`), and one that lowers it if it matches in all
    /// (`in_all`); of two that unknown labels choose from, the lower one applies. Returns whether `action` applies.
    pub fn replace(&mut self, action: Action, in_any: Option<bool>, in_all: Option<bool>) -> bool {
        match if action > self.action { in_any } else { in_all } {
            Some(true) => *self = Self::of(action),
            Some(false) => return false,
            None => {
                self.may_rise |= action != self.action;
                self.action = self.action.min(action);
            }
        }
        self.action == action
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Action::{Deny, Warn};

    fn after(base: Action, action: Action, in_any: Option<bool>, in_all: Option<bool>) -> (Action, bool) {
        let mut maximum = Maximum::of(base);
        maximum.replace(action, in_any, in_all);
        (maximum.action, maximum.may_rise)
    }

    #[test]
    fn raising_needs_one_class_and_lowering_all() {
        assert_eq!(after(Warn, Deny, Some(true), Some(false)), (Deny, false));
        assert_eq!(after(Deny, Warn, Some(true), Some(false)), (Deny, false));
        assert_eq!(after(Deny, Warn, Some(true), Some(true)), (Warn, false));
    }

    #[test]
    fn unknown_labels_only_lower() {
        assert_eq!(after(Warn, Deny, None, None), (Warn, true));
        assert_eq!(after(Deny, Warn, None, None), (Warn, true));
        assert_eq!(after(Deny, Deny, None, None), (Deny, false));
        assert_eq!(after(Warn, Warn, None, None), (Warn, false));
        let mut maximum = Maximum::of(Deny);
        let of_two = [Warn, Deny].map(|action| maximum.replace(action, None, None));
        assert_eq!((of_two, maximum.action, maximum.may_rise), ([true, false], Warn, true));
    }

    #[test]
    fn a_later_override_settles_what_was_unknown() {
        let mut maximum = Maximum::of(Deny);
        assert!(maximum.replace(Warn, None, None));
        assert!(maximum.may_rise);
        assert!(maximum.replace(Deny, Some(true), Some(true)));
        assert_eq!(maximum, Maximum::of(Deny));
    }
}
