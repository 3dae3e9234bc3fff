//! The kinds that the result of a check depends on. A refusal has to wait until all of them have been listed.

use std::cell::Cell;

use crate::kinds::KindSet;

/// The kinds that were read since the last [`take`](Self::take).
#[derive(Debug, Default)]
pub struct Dependencies(Cell<KindSet>);

impl Dependencies {
    /// Adds `kinds`.
    pub fn record(&self, kinds: KindSet) {
        self.0.set(self.0.get().union(kinds));
    }

    /// Returns the recorded kinds and clears them.
    pub fn take(&self) -> KindSet {
        self.0.take()
    }

    /// Returns the result of `work` and the kinds that it read. These kinds are also recorded here.
    pub fn of<T>(&self, work: impl FnOnce() -> T) -> (T, KindSet) {
        let before = self.take();
        let result = work();
        let read = self.0.replace(before);
        self.record(read);
        (result, read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Kind;

    #[test]
    fn dependencies_of_a_part_count_for_the_whole() {
        let (dependencies, [services, grants]) =
            (Dependencies::default(), [Kind::Service, Kind::ReferenceGrant].map(|kind| KindSet::of(&[kind])));
        dependencies.record(services);
        assert_eq!(dependencies.of(|| dependencies.record(grants)), ((), grants));
        assert_eq!(dependencies.take(), services.union(grants));
        assert_eq!(dependencies.take(), KindSet::EMPTY);
    }
}
