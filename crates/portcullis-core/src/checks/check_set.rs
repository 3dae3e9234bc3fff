//! A set of checks, which costs a review one bit for each.

/// A set of checks, by their positions in the registry.
#[derive(Debug, Clone, Default)]
pub struct CheckSet(Vec<u64>);

impl CheckSet {
    /// Adds the check at this position.
    pub fn insert(&mut self, position: usize) {
        let (word, bit) = place(position);
        self.0.resize(self.0.len().max(word + 1), 0);
        self.0[word] |= bit;
    }

    /// Whether the check at this position is in the set.
    #[inline]
    pub fn contains(&self, position: usize) -> bool {
        let (word, bit) = place(position);
        self.0.get(word).is_some_and(|own| own & bit != 0)
    }

    /// Adds the checks of another set.
    pub fn extend(&mut self, other: &Self) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        self.0.iter_mut().zip(&other.0).for_each(|(own, others)| *own |= others);
    }
}

/// The word of a position, and its bit there.
fn place(position: usize) -> (usize, u64) {
    (position / u64::BITS as usize, 1 << (position % u64::BITS as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(set: &CheckSet) -> Vec<usize> {
        (0..300).filter(|position| set.contains(*position)).collect()
    }

    #[test]
    fn sets_of_different_lengths_become_one() {
        let of = |positions: &[usize]| {
            let mut set = CheckSet::default();
            positions.iter().for_each(|position| set.insert(*position));
            set
        };
        let (few, many) = (of(&[0, 63]), of(&[1, 64, 200]));
        for (mut set, other) in [(few.clone(), &many), (many.clone(), &few)] {
            set.extend(other);
            assert_eq!(positions(&set), [0, 1, 63, 64, 200]);
        }
        assert!(positions(&CheckSet::default()).is_empty());
    }
}
