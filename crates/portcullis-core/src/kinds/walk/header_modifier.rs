//! The content of the header modifiers among the filters of a route.

use super::located_filter::{FilterLocation, FilterPath, LocatedFilter};
use crate::kinds::filter::{HeaderModifier, HeaderValue};

/// One of the lists of a header modifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModifierList {
    /// Headers whose values are replaced.
    Set,
    /// Headers that get an additional value.
    Add,
    /// Headers that are removed.
    Remove,
}

/// A header modifier with its location.
#[derive(Debug, Clone, Copy)]
pub struct LocatedModifier<'o, 'a> {
    /// The modifier.
    pub modifier: &'o HeaderModifier<'a>,
    filter: FilterLocation,
    lists: &'static [&'static str; 3],
}

impl<'o, 'a> LocatedModifier<'o, 'a> {
    /// Each header that it sets, then each header that it adds.
    pub fn values(self) -> impl Iterator<Item = (FilterPath, &'o HeaderValue<'a>)> {
        let [set, add, _] = *self.lists;
        [(set, &self.modifier.set), (add, &self.modifier.add)].into_iter().flat_map(move |(field, values)| {
            let location = move |index| FilterPath::element(self.filter, field, index);
            values.iter().enumerate().map(move |(index, value)| (location(index), value))
        })
    }

    /// Each header name that it removes.
    pub fn removals(self) -> impl Iterator<Item = (FilterPath, &'o str)> {
        let [.., remove] = *self.lists;
        let location = move |index| FilterPath::element(self.filter, remove, index);
        self.modifier.remove.iter().enumerate().map(move |(index, name)| (location(index), &**name))
    }

    /// Each header name that it sets, adds or removes, in this order.
    pub fn names(self) -> impl Iterator<Item = (FilterPath, &'o str)> {
        self.named().map(|(at, name, _)| (at, name))
    }

    /// Each header name that it sets, adds or removes, with its list.
    pub fn named(self) -> impl Iterator<Item = (FilterPath, &'o str, ModifierList)> {
        let set = self.modifier.set.len();
        let values = self.values().enumerate().map(move |(index, (at, value))| {
            let list = if index < set { ModifierList::Set } else { ModifierList::Add };
            (at.named("name"), &*value.name, list)
        });
        values.chain(self.removals().map(|(at, name)| (at, name, ModifierList::Remove)))
    }

    /// The number of headers that it sets, adds or removes: the maximum of the three lists, and the total.
    pub fn counts(self) -> [usize; 2] {
        let lengths = self.lengths();
        [lengths.into_iter().fold(0, usize::max), lengths.iter().sum()]
    }

    fn lengths(self) -> [usize; 3] {
        [self.modifier.set.len(), self.modifier.add.len(), self.modifier.remove.len()]
    }

    /// Its lists, each as address and length.
    pub fn lists(self) -> [(FilterPath, usize); 3] {
        let lengths = self.lengths();
        std::array::from_fn(|list| (FilterPath::field(self.filter, self.lists[list]), lengths[list]))
    }
}

/// Each header modifier of these filters.
pub(super) fn header_modifiers<'o, 'a>(filters: &[LocatedFilter<'o, 'a>]) -> Vec<LocatedModifier<'o, 'a>> {
    let mut modifiers = Vec::with_capacity(filters.len());
    for LocatedFilter { filter, location } in filters {
        let site = |modifier, lists| LocatedModifier { modifier, filter: *location, lists };
        let request = filter.request_header_modifier.as_deref().map(|modifier| site(modifier, &LISTS_OF_REQUEST));
        let response = filter.response_header_modifier.as_deref().map(|modifier| site(modifier, &LISTS_OF_RESPONSE));
        modifiers.extend(request);
        modifiers.extend(response);
    }
    modifiers
}

static LISTS_OF_REQUEST: [&str; 3] =
    ["requestHeaderModifier.set", "requestHeaderModifier.add", "requestHeaderModifier.remove"];
static LISTS_OF_RESPONSE: [&str; 3] =
    ["responseHeaderModifier.set", "responseHeaderModifier.add", "responseHeaderModifier.remove"];
