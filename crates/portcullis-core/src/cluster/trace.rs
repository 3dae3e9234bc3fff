//! A record of what the checks of one review read from the cluster.

use std::cell::Cell;

use super::dependencies::Dependencies;
use super::steps::{Exhausted, Steps};

/// The maximum number of suggestions of one check. A search for a similar name compares all names of a namespace.
const MAX_SUGGESTIONS: usize = 3;

/// The kinds that the checks read, and the work that they caused.
#[derive(Debug, Default)]
pub struct Trace {
    /// The kinds that were read.
    pub dependencies: Dependencies,
    /// The number of other objects that were looked at.
    pub steps: Steps,
    suggestions: Cell<usize>,
}

impl Trace {
    /// Returns the trace of a resumed review in which a step budget may have been `exhausted` before.
    pub fn resumed(exhausted: Option<Exhausted>) -> Self {
        Self { steps: Steps::resumed(exhausted), ..Self::default() }
    }

    /// Starts the budgets of the next check.
    pub fn begin(&self) {
        self.steps.begin();
        self.suggestions.set(0);
    }

    /// Runs `work` with its own budgets, because it repeats steps that were already counted.
    pub fn apart<T>(&self, work: impl FnOnce() -> T) -> T {
        self.suggestions.set(0);
        self.steps.apart(work)
    }

    /// Counts a suggestion. Returns whether it may be made.
    pub(super) fn take_suggestion(&self) -> bool {
        let made = self.suggestions.get();
        self.suggestions.set(made + 1);
        made < MAX_SUGGESTIONS
    }
}

/// The steps of a review; no limit outside of one.
#[derive(Debug, Clone, Copy)]
pub struct StepBudget<'t>(Option<&'t Steps>);

impl<'t> StepBudget<'t> {
    pub(super) fn of(trace: Option<&'t Trace>) -> Self {
        Self(trace.map(|trace| &trace.steps))
    }

    /// Starts a new budget, for a search whose steps must not count toward the next one.
    pub fn begin(self) {
        if let Some(steps) = self.0 {
            steps.begin();
        }
    }

    /// Counts `count` steps for an object in the namespace that is written to (`is_own`) or in another one. Returns
    /// whether the budget sufficed.
    pub fn take(self, is_own: bool, count: usize) -> bool {
        self.0.is_none_or(|steps| steps.take(is_own, count))
    }

    /// Whether the budget has not been exceeded.
    pub fn are_left(self) -> bool {
        self.0.is_none_or(Steps::are_left)
    }

    /// Whether any budget was exceeded since the review began, and by which side.
    pub fn exhausted(self) -> Option<Exhausted> {
        self.0.and_then(Steps::exhausted)
    }
}
