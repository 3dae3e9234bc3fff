//! A table of claims. The objects with one claim form groups whose members no comparison distinguishes, and a look-up
//! finds the first member of each group, so its cost does not depend on how many objects have the claim.

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hash};

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

/// The groups of each claim. The members of a group are ordered.
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
    /// Whether both have the same claim and differ in nothing that a comparison looks at, except their order.
    fn are_alike(&self, one: M, other: M) -> bool;

    /// The order of two members of one group.
    fn order(&self, one: M, other: M) -> Ordering;
}

impl<M> Default for ClaimTable<M> {
    fn default() -> Self {
        Self { hasher: DefaultHashBuilder::default(), first: HashTable::new(), further: HashMap::new() }
    }
}

impl<M: Copy + Eq + Hash> ClaimTable<M> {
    /// Adds a member with this claim.
    pub fn insert(&mut self, claim: impl Hash, member: M, members: &impl Members<M>) {
        let half = self.half(claim);
        let Some(entry) = self.first.find_mut(whole(half), |entry| is_of_group(*entry, half, member, members)) else {
            self.first.insert_unique(whole(half), (half, member), |(half, _)| whole(*half));
            return;
        };
        let first = entry.1;
        if members.order(member, first).is_lt() {
            entry.1 = member;
            let mut further = self.further.remove(&(half, first)).unwrap_or_default();
            further.insert(0, first);
            self.further.insert((half, member), further);
        } else {
            let further = self.further.entry((half, first)).or_default();
            let position = further.binary_search_by(|own| members.order(*own, member)).unwrap_or_else(|next| next);
            further.insert(position, member);
        }
    }

    /// Removes a member that was added with this claim and has not changed since.
    pub fn remove(&mut self, claim: impl Hash, member: M, members: &impl Members<M>) {
        let half = self.half(claim);
        let entry = self.first.find_entry(whole(half), |entry| is_of_group(*entry, half, member, members));
        let Ok(mut entry) = entry else { return };
        let first = entry.get().1;
        let Some(mut further) = self.further.remove(&(half, first)) else {
            if first == member {
                entry.remove();
            }
            return;
        };
        if first == member {
            entry.get_mut().1 = further.remove(0);
        } else if let Ok(position) = further.binary_search_by(|own| members.order(*own, member)) {
            further.remove(position);
        }
        if !further.is_empty() {
            self.further.insert((half, entry.get().1), further);
        }
    }

    /// The groups of the claim with this [half](Self::half) of a hash, each as its members in order. A caller that needs
    /// certainty compares the members.
    pub fn groups(&self, half: u32) -> impl Iterator<Item = impl Iterator<Item = M>> {
        self.first.iter_hash(whole(half)).filter(move |(own, _)| *own == half).map(move |(_, first)| {
            let further = self.further.get(&(half, *first)).into_iter().flatten();
            std::iter::once(*first).chain(further.copied())
        })
    }

    /// Whether no member remains.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.first.is_empty() && self.further.is_empty()
    }

    /// Half of the hash of a claim.
    pub fn half(&self, claim: impl Hash) -> u32 {
        (self.hasher.hash_one(claim) >> 32) as u32
    }
}

fn is_of_group<M: Copy>((own, first): (u32, M), half: u32, member: M, members: &impl Members<M>) -> bool {
    own == half && members.are_alike(first, member)
}

/// The hash by which the table finds an entry. The multiplication spreads the half over all 64 bits.
fn whole(half: u32) -> u64 {
    u64::from(half).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Members are alike if they have the same tens, which include the claim in hundreds.
    struct Numbers;

    impl Members<u32> for Numbers {
        fn are_alike(&self, one: u32, other: u32) -> bool {
            one / 10 == other / 10
        }

        fn order(&self, one: u32, other: u32) -> Ordering {
            one.cmp(&other)
        }
    }

    #[test]
    fn groups_are_found_in_order_after_any_changes() {
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
            let mut found: Vec<Vec<u32>> = table.groups(table.half(claim)).map(Iterator::collect).collect();
            found.sort();
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
