//! What the checks of one review read of the cluster, recorded while they run.

use std::cell::Cell;

use super::dependencies::Dependencies;
use super::steps::{Exhausted, Steps};

/// How many suggestions one check may make: a search for a similar name looks at all names of a namespace.
const MAX_SUGGESTIONS: usize = 3;

/// The kinds that a check read, and the work that it made.
#[derive(Debug, Default)]
pub struct Trace {
    /// The kinds that were read.
    pub dependencies: Dependencies,
    /// How many other objects were looked at.
    pub steps: Steps,
    suggestions: Cell<usize>,
}

impl Trace {
    /// The trace of a review in which a budget of steps was `exhausted` already, or none.
    pub fn resumed(exhausted: Option<Exhausted>) -> Self {
        Self { steps: Steps::resumed(exhausted), ..Self::default() }
    }

    /// Starts the budgets of the next check.
    pub fn begin(&self) {
        self.steps.begin();
        self.suggestions.set(0);
    }

    /// What `work` comes to on budgets of its own; it repeats what was counted already.
    pub fn apart<T>(&self, work: impl FnOnce() -> T) -> T {
        self.suggestions.set(0);
        self.steps.apart(work)
    }

    /// Counts a suggestion; whether it may be made.
    pub(super) fn take_suggestion(&self) -> bool {
        let made = self.suggestions.get();
        self.suggestions.set(made + 1);
        made < MAX_SUGGESTIONS
    }
}

/// The steps of a review, or no limit outside of one.
#[derive(Debug, Clone, Copy)]
pub struct StepBudget<'t>(Option<&'t Steps>);

impl<'t> StepBudget<'t> {
    pub(super) fn of(trace: Option<&'t Trace>) -> Self {
        Self(trace.map(|trace| &trace.steps))
    }

    /// Starts a new budget, for a search whose steps must not count for the next one.
    pub fn begin(self) {
        if let Some(steps) = self.0 {
            steps.begin();
        }
    }

    /// Counts so many steps, taken because of an object of the namespace that is written to, or of another one; whether the budget
    /// sufficed.
    pub fn take(self, is_own: bool, count: usize) -> bool {
        self.0.is_none_or(|steps| steps.take(is_own, count))
    }

    /// Whether the budget has not been exceeded.
    pub fn are_left(self) -> bool {
        self.0.is_none_or(Steps::are_left)
    }

    /// Whether any budget was exceeded since the review began, and because of whom.
    pub fn exhausted(self) -> Option<Exhausted> {
        self.0.and_then(Steps::exhausted)
    }
}
