//! A record of what the checks of one review read from the cluster.

use std::cell::Cell;

use super::dependencies::Dependencies;

/// The maximum number of suggestions of one check. A search for a similar name compares all names of a namespace.
const MAX_SUGGESTIONS: usize = 3;

/// The kinds that the checks read, the number of look-ups, and the suggestions that they made.
#[derive(Debug, Default)]
pub struct Trace {
    /// The kinds that were read.
    pub dependencies: Dependencies,
    lookups: Cell<usize>,
    suggestions: Cell<usize>,
}

impl Trace {
    /// Starts the record of the next check.
    pub fn begin(&self) {
        self.lookups.set(0);
        self.suggestions.set(0);
    }

    /// The number of look-ups since the record began.
    pub fn lookups(&self) -> usize {
        self.lookups.get()
    }

    /// Counts a look-up.
    pub(super) fn look_up(&self) {
        self.lookups.set(self.lookups.get() + 1);
    }

    /// Counts a suggestion. Returns whether it may be made.
    pub(super) fn take_suggestion(&self) -> bool {
        let made = self.suggestions.get();
        self.suggestions.set(made + 1);
        made < MAX_SUGGESTIONS
    }
}
