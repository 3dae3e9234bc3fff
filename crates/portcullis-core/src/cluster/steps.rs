//! Limits how much a check may compare with other objects in one review. It counts steps instead of time, so that two
//! replicas stop at the same object.

use std::cell::Cell;

/// The maximum number of steps of one check in one review. A step is a look at one listener, one match or one other
/// object.
pub const MAX_STEPS: u32 = 50_000;

/// The namespaces whose objects caused most of the steps of a check that exhausted its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exhausted {
    /// Other namespaces.
    ByOthers,
    /// The namespace that is written to, including the object under review.
    ByOwn,
}

/// The steps of one review. Each check, and each search within a check, has its own budget, so that none can use up the
/// budget of another.
#[derive(Debug, Default)]
pub struct Steps {
    own: Cell<u32>,
    others: Cell<u32>,
    exhausted: Cell<Option<Exhausted>>,
}

impl Steps {
    /// Starts a new budget.
    pub fn begin(&self) {
        self.own.set(0);
        self.others.set(0);
    }

    /// Returns the steps of a resumed review in which a budget may have been `exhausted` before.
    pub fn resumed(exhausted: Option<Exhausted>) -> Self {
        Self { exhausted: Cell::new(exhausted), ..Self::default() }
    }

    /// Runs `work` with its own budget and then restores `exhausted`, because the work repeats steps that were already
    /// counted.
    pub fn apart<T>(&self, work: impl FnOnce() -> T) -> T {
        let exhausted = self.exhausted.get();
        self.begin();
        let result = work();
        self.exhausted.set(exhausted);
        result
    }

    /// Counts `count` steps for an object in the namespace that is written to (`is_own`) or in another one. Returns
    /// whether the budget sufficed.
    pub fn take(&self, is_own: bool, count: usize) -> bool {
        let side = if is_own { &self.own } else { &self.others };
        side.set(side.get().saturating_add(u32::try_from(count).unwrap_or(u32::MAX)));
        let is_enough = self.are_left();
        if !is_enough {
            let by = if self.own.get() >= self.others.get() { Exhausted::ByOwn } else { Exhausted::ByOthers };
            self.exhausted.set(self.exhausted.get().max(Some(by)));
        }
        is_enough
    }

    /// Whether the budget has not been exceeded.
    pub fn are_left(&self) -> bool {
        self.own.get().saturating_add(self.others.get()) <= MAX_STEPS
    }

    /// Whether any budget was exceeded since the review began, and by which side. If both sides exceeded one, it is the
    /// namespace that is written to.
    pub fn exhausted(&self) -> Option<Exhausted> {
        self.exhausted.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_exhausted_by_the_side_that_took_more_of_it() {
        let steps = Steps::default();
        let most = MAX_STEPS as usize;
        assert!(steps.take(true, most / 2) && steps.take(false, most / 2));
        assert_eq!(steps.exhausted(), None);
        assert!(!steps.take(false, 1));
        assert_eq!((steps.exhausted(), steps.are_left()), (Some(Exhausted::ByOthers), false));
        steps.begin();
        assert!(steps.are_left() && steps.take(true, most) && !steps.take(false, 1));
        assert_eq!(steps.exhausted(), Some(Exhausted::ByOwn));
        steps.begin();
        assert!(!steps.take(false, most + 1));
        assert_eq!(steps.exhausted(), Some(Exhausted::ByOwn), "the earlier result for the writer's namespace is kept");
        let resumed = Steps::resumed(steps.exhausted());
        assert_eq!((resumed.exhausted(), resumed.are_left()), (Some(Exhausted::ByOwn), true));
    }
}
