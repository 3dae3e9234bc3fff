//! The part of a list that a check looks at in one turn, since a review must not hold the view for long.

use std::cell::{Cell, RefCell};

use crate::cluster::HostCursor;

/// How many claims of an object a check looks at before the view is released.
pub const CLAIMS_PER_TURN: usize = 500;

/// A part of each list that a check asks for. A check with more than one list must walk them with one part each, in the
/// same way in every turn.
#[derive(Debug, Default)]
pub struct Part {
    start: usize,
    has_more: Cell<bool>,
    /// Where a walk over the hosts of other objects goes on.
    cursor: RefCell<Option<(usize, HostCursor)>>,
}

impl Part {
    /// The elements of `list` in this part.
    pub fn of<'l, T>(&self, list: &'l [T]) -> &'l [T] {
        self.of_weighted(list, 1)
    }

    /// The elements of `iterator` in this part.
    pub fn within<T>(&self, iterator: impl Iterator<Item = T>) -> Vec<T> {
        let mut rest = iterator.skip(self.start);
        let part = rest.by_ref().take(CLAIMS_PER_TURN).collect();
        self.has_more.set(self.has_more.get() || rest.next().is_some());
        part
    }

    /// The elements of `list` in this part if each of them stands for this many claims.
    pub fn of_weighted<'l, T>(&self, list: &'l [T], claims: usize) -> &'l [T] {
        let (number, length) = (self.start / CLAIMS_PER_TURN, (CLAIMS_PER_TURN / claims.max(1)).max(1));
        let start = number.saturating_mul(length).min(list.len());
        let end = list.len().min(start.saturating_add(length));
        self.has_more.set(self.has_more.get() || end < list.len());
        &list[start..end]
    }

    /// Whether there is no part before this one.
    pub fn is_first(&self) -> bool {
        self.start == 0
    }

    /// Where the previous part has [stopped](Self::stop_at) a walk.
    pub fn stopped_at(&self) -> Option<(usize, HostCursor)> {
        self.cursor.take()
    }

    /// Stops a walk over the hosts that are found for the own one at this index, which the next part resumes.
    pub fn stop_at(&self, index: usize, host: HostCursor) {
        self.has_more.set(true);
        self.cursor.replace(Some((index, host)));
    }

    /// Whether a list that was asked for has elements after this part.
    pub fn has_more(&self) -> bool {
        self.has_more.get()
    }

    /// The next part, if there is one.
    pub fn next(&self) -> Option<Self> {
        let cursor = RefCell::new(self.cursor.take());
        self.has_more().then(|| Self { start: self.start + CLAIMS_PER_TURN, has_more: Cell::new(false), cursor })
    }

    /// Calls `look` with one part after the other.
    pub fn each(mut look: impl FnMut(&Self)) {
        let mut part = Some(Self::default());
        while let Some(this) = part {
            look(&this);
            part = this.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_whole_list() {
        for length in [0, 1, CLAIMS_PER_TURN - 1, CLAIMS_PER_TURN, CLAIMS_PER_TURN + 1, 3 * CLAIMS_PER_TURN] {
            let (list, short): (Vec<usize>, [usize; 2]) = ((0..length).collect(), [7, 8]);
            let (mut seen, mut times) = ((Vec::new(), Vec::new(), Vec::new()), 0);
            let mut weighted = Vec::new();
            Part::each(|part| weighted.extend_from_slice(part.of_weighted(&list, 3)));
            assert_eq!(weighted, list);
            Part::each(|part| {
                seen.0.extend_from_slice(part.of(&list));
                seen.1.extend_from_slice(part.of(&short));
                seen.2.extend(part.within(0..length));
                times += 1;
            });
            assert_eq!(seen, (list.clone(), short.to_vec(), list));
            assert_eq!(times, length.div_ceil(CLAIMS_PER_TURN).max(1));
        }
    }
}
