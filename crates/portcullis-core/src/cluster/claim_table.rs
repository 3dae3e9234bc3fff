//! A table of claims. The objects of one namespace that have a claim form a group, in which those that no comparison
//! distinguishes are adjacent. A look-up finds the first member of each such variant, so its cost does not depend on how
//! many objects have the claim.

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hash};
use std::iter;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

/// How many variants of one group a look-up returns. What other namespaces store does not count, since a group is of one namespace.
const MAX_VARIANTS: usize = 64;

/// The groups of each claim.
#[derive(Debug)]
pub(super) struct ClaimTable<M> {
    hasher: DefaultHashBuilder,
    /// The first member of each group, by half of the hash of the claim. There are many entries, and half of a hash
    /// that is stored need not be computed again when the table grows.
    first: HashTable<(u32, M)>,
    /// The further members of a group, in order, by the first one. Most groups have none.
    further: HashMap<(u32, M), Vec<M>>,
}

/// The members of a table, as far as the table must know them.
pub(super) trait Members<M> {
    /// Whether both belong to one group: they have the same claim in one namespace. A namespace has few groups of a claim.
    fn are_of_group(&self, one: M, other: M) -> bool;

    /// The order of two members of one group as variants. Of members of equal variants, no comparison distinguishes one from
    /// the other except by their order.
    fn variant_order(&self, one: M, other: M) -> Ordering;

    /// The order of two members of one variant.
    fn order(&self, one: M, other: M) -> Ordering;
}

/// Members of one group in order: by variant, then by the order in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group<'t, M> {
    first: M,
    further: &'t [M],
}

impl<'t, M: Copy> Group<'t, M> {
    /// The first of them.
    pub fn first(self) -> M {
        self.first
    }

    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = M> + use<'t, M> {
        iter::once(self.first).chain(self.further.iter().copied())
    }

    /// The members from the first one on for which `is_before` is false. It is true for all members before that one.
    pub fn from(self, is_before: impl Fn(M) -> bool) -> Option<Self> {
        if !is_before(self.first) {
            return Some(self);
        }
        let position = self.further.partition_point(|member| is_before(*member));
        let (first, further) = self.further[position..].split_first()?;
        Some(Self { first: *first, further })
    }

    /// The first [`MAX_VARIANTS`] variants.
    pub fn variants(self, members: impl Members<M>) -> impl Iterator<Item = Self> {
        let mut rest = Some(self);
        let next = move || {
            let Self { first, further } = rest?;
            let length = further.partition_point(|member| members.variant_order(*member, first).is_eq());
            let (variant, after) = further.split_at(length);
            rest = after.split_first().map(|(first, further)| Self { first: *first, further });
            Some(Self { first, further: variant })
        };
        iter::from_fn(next).take(MAX_VARIANTS)
    }
}

/// The first [`MAX_VARIANTS`] of `ordered`, without those that are alike to an earlier one; each with whether there were
/// such.
pub(super) fn oldest_of_each<T>(
    ordered: impl Iterator<Item = T>,
    are_alike: impl Fn(&T, &T) -> bool,
) -> impl Iterator<Item = (T, bool)> {
    let mut found: Vec<(T, bool)> = Vec::new();
    for next in ordered.take(MAX_VARIANTS) {
        match found.iter_mut().find(|(known, _)| are_alike(known, &next)) {
            Some((_, has_others)) => *has_others = true,
            None => found.push((next, false)),
        }
    }
    found.into_iter()
}

impl<M> Default for ClaimTable<M> {
    fn default() -> Self {
        Self { hasher: DefaultHashBuilder::default(), first: HashTable::new(), further: HashMap::new() }
    }
}

impl<M: Copy + Eq + Hash> ClaimTable<M> {
    /// Adds a member with this claim.
    pub fn insert(&mut self, claim: impl Hash, member: M, members: &impl Members<M>) {
        let short_hash = self.short_hash(claim);
        let Some(entry) =
            self.first.find_mut(spread(short_hash), |entry| is_of_group(*entry, short_hash, member, members))
        else {
            self.first.insert_unique(spread(short_hash), (short_hash, member), |(short_hash, _)| spread(*short_hash));
            return;
        };
        let first = entry.1;
        if order(first, member, members).is_gt() {
            entry.1 = member;
            let mut further = self.further.remove(&(short_hash, first)).unwrap_or_default();
            further.insert(0, first);
            self.further.insert((short_hash, member), further);
        } else {
            let further = self.further.entry((short_hash, first)).or_default();
            let position = further.binary_search_by(|own| order(*own, member, members)).unwrap_or_else(|next| next);
            further.insert(position, member);
        }
    }

    /// Removes a member that was added with this claim and has not changed since.
    pub fn remove(&mut self, claim: impl Hash, member: M, members: &impl Members<M>) {
        let short_hash = self.short_hash(claim);
        let entry = self.first.find_entry(spread(short_hash), |entry| is_of_group(*entry, short_hash, member, members));
        let Ok(mut entry) = entry else { return };
        let first = entry.get().1;
        let Some(mut further) = self.further.remove(&(short_hash, first)) else {
            if first == member {
                entry.remove();
            }
            return;
        };
        if first == member {
            entry.get_mut().1 = further.remove(0);
        } else if let Ok(position) = further.binary_search_by(|own| order(*own, member, members)) {
            further.remove(position);
        }
        if !further.is_empty() {
            self.further.insert((short_hash, entry.get().1), further);
        }
    }

    /// The groups of the claim with this [short hash](Self::short_hash). A caller that needs certainty compares the members.
    pub fn groups(&self, short_hash: u32) -> impl Iterator<Item = Group<'_, M>> {
        self.first.iter_hash(spread(short_hash)).filter(move |(own, _)| *own == short_hash).map(move |(_, first)| {
            let further = self.further.get(&(short_hash, *first)).map(Vec::as_slice).unwrap_or_default();
            Group { first: *first, further }
        })
    }

    /// Whether no member remains.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.first.is_empty() && self.further.is_empty()
    }

    /// Half of the hash of a claim.
    pub fn short_hash(&self, claim: impl Hash) -> u32 {
        (self.hasher.hash_one(claim) >> 32) as u32
    }
}

fn is_of_group<M: Copy>((own, first): (u32, M), short_hash: u32, member: M, members: &impl Members<M>) -> bool {
    own == short_hash && members.are_of_group(first, member)
}

fn order<M: Copy>(one: M, other: M, members: &impl Members<M>) -> Ordering {
    members.variant_order(one, other).then_with(|| members.order(one, other))
}

/// The hash by which the table finds an entry. The multiplication spreads the short hash over all 64 bits.
fn spread(short_hash: u32) -> u64 {
    u64::from(short_hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Members form a group by their hundreds, which are the claim, and a variant by their tens.
    struct Numbers;

    impl Members<u32> for Numbers {
        fn are_of_group(&self, one: u32, other: u32) -> bool {
            one / 100 == other / 100
        }

        fn variant_order(&self, one: u32, other: u32) -> Ordering {
            (one / 10).cmp(&(other / 10))
        }

        fn order(&self, one: u32, other: u32) -> Ordering {
            one.cmp(&other)
        }
    }

    #[test]
    fn variants_are_found_in_order_after_any_changes() {
        let (mut table, mut all) = (ClaimTable::default(), BTreeSet::new());
        let mut state = 7_u32;
        for _ in 0..20_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let member = (state >> 16) % 300;
            match all.remove(&member) {
                true => table.remove(member / 100, member, &Numbers),
                false => {
                    all.insert(member);
                    table.insert(member / 100, member, &Numbers);
                }
            }
            let claim = member / 100;
            let groups = table.groups(table.short_hash(claim));
            let found: Vec<Vec<u32>> =
                groups.flat_map(|group| group.variants(Numbers)).map(|group| group.iter().collect()).collect();
            let mut expected: Vec<Vec<u32>> = Vec::new();
            for member in all.iter().filter(|member| **member / 100 == claim) {
                match expected.last_mut().filter(|group| group[0] / 10 == member / 10) {
                    Some(group) => group.push(*member),
                    None => expected.push(vec![*member]),
                }
            }
            assert_eq!(found, expected);
        }
        all.iter().for_each(|member| table.remove(member / 100, *member, &Numbers));
        assert!(table.is_empty(), "nothing remains");
    }
}
