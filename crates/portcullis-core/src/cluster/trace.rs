//! What the checks of one review read of the cluster, recorded while they run.

use super::dependencies::Dependencies;
use super::steps::{Exhausted, Steps};

/// The kinds that a check read, and the steps that it took.
#[derive(Debug, Default)]
pub struct Trace {
    /// The kinds that were read.
    pub dependencies: Dependencies,
    /// How many other objects were looked at.
    pub steps: Steps,
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
