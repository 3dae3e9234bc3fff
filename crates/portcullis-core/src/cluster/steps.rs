//! How much a check may compare with other objects in one review, counted and not timed, so that two replicas stop at the same place.

use std::cell::Cell;

/// How many steps one check may take in one review; a step is a look at one listener, one match or one other object.
pub const MAX_STEPS: u32 = 50_000;

/// Whose objects made up most of the steps of a check that was not finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exhausted {
    /// Those of other namespaces.
    ByOthers,
    /// Those of the namespace that is written to, the object under review among them.
    ByOwn,
}

/// The steps of one review. Each check, and each search within one, has a budget of its own, so that none can use up another's.
#[derive(Debug, Default)]
pub struct Steps {
    own: Cell<u32>,
    others: Cell<u32>,
    exhausted: Cell<Option<Exhausted>>,
}

impl Steps {
    /// Begins with a new budget.
    pub fn begin(&self) {
        self.own.set(0);
        self.others.set(0);
    }

    /// The steps of a review in which a budget was `exhausted` already, or none.
    pub fn resumed(exhausted: Option<Exhausted>) -> Self {
        Self { exhausted: Cell::new(exhausted), ..Self::default() }
    }

    /// What `work` comes to on a budget of its own, of which nothing is told afterwards: it repeats what was counted already.
    pub fn apart<T>(&self, work: impl FnOnce() -> T) -> T {
        let exhausted = self.exhausted.get();
        self.begin();
        let result = work();
        self.exhausted.set(exhausted);
        result
    }

    /// Counts so many steps, taken because of an object of the namespace that is written to, or of another one; whether the budget
    /// sufficed.
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

    /// Whether any budget was exceeded since the review began, and because of whom; of both the namespace that is written to.
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
        assert_eq!(steps.exhausted(), Some(Exhausted::ByOwn), "the writer's namespace was told before");
        let resumed = Steps::resumed(steps.exhausted());
        assert_eq!((resumed.exhausted(), resumed.are_left()), (Some(Exhausted::ByOwn), true));
    }
}
