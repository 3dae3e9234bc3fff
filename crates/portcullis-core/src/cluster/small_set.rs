//! An ordered set that uses little memory while it is small, as most sets of an index are.

use std::borrow::Borrow;
use std::collections::{BTreeSet, btree_set};
use std::iter::FusedIterator;
use std::ops::Bound;
use std::slice;

/// The largest set that is stored as a list. An insertion moves the elements after it.
const FEW: usize = 64;

/// An ordered set: a list with little spare capacity while it is small, a tree when it is large.
#[derive(Debug)]
pub struct SmallSet<T>(Elements<T>);

#[derive(Debug)]
enum Elements<T> {
    Few(Vec<T>),
    Many(BTreeSet<T>),
}

impl<T> Default for SmallSet<T> {
    fn default() -> Self {
        Self(Elements::Few(Vec::new()))
    }
}

impl<T: Ord> SmallSet<T> {
    /// Adds an element, unless an equal one is present.
    pub fn insert(&mut self, element: T) {
        match &mut self.0 {
            Elements::Few(list) => {
                let Err(position) = list.binary_search(&element) else { return };
                if list.len() == FEW {
                    let mut tree: BTreeSet<T> = std::mem::take(list).into_iter().collect();
                    tree.insert(element);
                    self.0 = Elements::Many(tree);
                    return;
                }
                if list.len() == list.capacity() {
                    // Grows by a quarter, and by single elements while the list is short.
                    list.reserve_exact(1 + list.len() / 4);
                }
                list.insert(position, element);
            }
            Elements::Many(tree) => {
                tree.insert(element);
            }
        }
    }

    /// Removes an element.
    pub fn remove<Q: Ord + ?Sized>(&mut self, element: &Q)
    where
        T: Borrow<Q>,
    {
        match &mut self.0 {
            Elements::Few(list) => {
                let Ok(position) = list.binary_search_by(|own| own.borrow().cmp(element)) else { return };
                list.remove(position);
                if list.len() <= list.capacity() / 2 {
                    list.shrink_to_fit();
                }
            }
            Elements::Many(tree) => {
                tree.remove(element);
                // The limit is half of `FEW`, so that adding and removing one element does not rebuild the tree each
                // time.
                if tree.len() <= FEW / 2 {
                    self.0 = Elements::Few(std::mem::take(tree).into_iter().collect());
                }
            }
        }
    }

    /// The elements from `start` on, in order.
    pub fn range<Q: Ord + ?Sized>(&self, start: Bound<&Q>) -> Iter<'_, T>
    where
        T: Borrow<Q>,
    {
        match &self.0 {
            Elements::Few(list) => {
                let first = match start {
                    Bound::Included(start) => list.partition_point(|own| own.borrow() < start),
                    Bound::Excluded(start) => list.partition_point(|own| own.borrow() <= start),
                    Bound::Unbounded => 0,
                };
                Iter::Few(list.get(first..).unwrap_or_default().iter())
            }
            Elements::Many(tree) => Iter::Many(tree.range((start, Bound::Unbounded))),
        }
    }
}

impl<T> SmallSet<T> {
    /// The elements, in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let (few, many) = match &self.0 {
            Elements::Few(list) => (Some(list.iter()), None),
            Elements::Many(tree) => (None, Some(tree.iter())),
        };
        few.into_iter().flatten().chain(many.into_iter().flatten())
    }

    /// The first element.
    pub fn first(&self) -> Option<&T> {
        self.iter().next()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        match &self.0 {
            Elements::Few(list) => list.len(),
            Elements::Many(tree) => tree.len(),
        }
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An iterator over a range of a set, in order.
#[derive(Debug)]
pub enum Iter<'s, T> {
    /// Over a list.
    Few(slice::Iter<'s, T>),
    /// Over a tree.
    Many(btree_set::Range<'s, T>),
}

impl<'s, T> Iterator for Iter<'s, T> {
    type Item = &'s T;

    fn next(&mut self) -> Option<&'s T> {
        match self {
            Self::Few(elements) => elements.next(),
            Self::Many(elements) => elements.next(),
        }
    }
}

impl<T> FusedIterator for Iter<'_, T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_set_equals_a_btree_set() {
        let (mut set, mut oracle) = (SmallSet::default(), BTreeSet::new());
        // Grow beyond the largest list and shrink again, in no particular order, each step twice.
        let numbers = (0..FEW * 3).map(|number| number * 37 % (FEW * 3));
        let steps = numbers.clone().map(|number| (true, number)).chain(numbers.map(|number| (false, number)));
        for (is_new, number) in steps.flat_map(|step| [step; 2]) {
            if is_new {
                set.insert(number);
                oracle.insert(number);
            } else {
                set.remove(&number);
                oracle.remove(&number);
            }
            assert!(set.iter().eq(&oracle));
            assert!(set.range(Bound::Excluded(&number)).eq(oracle.range((Bound::Excluded(number), Bound::Unbounded))));
            assert!(set.range(Bound::Included(&FEW)).eq(oracle.range(FEW..)));
            assert_eq!((set.len(), set.first()), (oracle.len(), oracle.first()));
        }
        assert!(set.is_empty());
    }

    #[test]
    fn removed_entries_free_their_memory() {
        let mut set = SmallSet::default();
        (0..FEW * 2).for_each(|number| set.insert(number));
        (1..FEW * 2).for_each(|number| set.remove(&number));
        assert!(matches!(&set.0, Elements::Few(list) if list.capacity() == 1), "{set:?}");
    }
}
