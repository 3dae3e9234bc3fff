//! From where a Gateway can be reached (GEP-1651): three words in an order, and names of the implementation's own beside it.

use std::cmp::Ordering;
use std::fmt;

use crate::names;

/// The most bytes of a routability.
const LONGEST: usize = 253;

/// From where a Gateway can be reached. The three words are ordered, the widest last; a vendor's value has no place among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routability<'t> {
    /// From inside the cluster only.
    Cluster,
    /// From a network that is not the internet.
    Private,
    /// From the internet.
    Public,
    /// What an implementation means by a `domain/name`.
    Vendor(&'t str),
}

impl<'t> Routability<'t> {
    /// What `text` says as a whole; `None` for any other text: `Publicity` is no `Public`.
    pub fn parse(text: &'t str) -> Option<Self> {
        match text {
            "Cluster" => Some(Self::Cluster),
            "Private" => Some(Self::Private),
            "Public" => Some(Self::Public),
            _ => (text.len() <= LONGEST && names::is_domain_prefixed_path(text)).then_some(Self::Vendor(text)),
        }
    }

    /// How far it reaches among the three words.
    const fn reach(self) -> Option<u8> {
        match self {
            Self::Cluster => Some(0),
            Self::Private => Some(1),
            Self::Public => Some(2),
            Self::Vendor(_) => None,
        }
    }
}

impl PartialOrd for Routability<'_> {
    /// Which reaches further; `None` where one is a vendor's and the other is not the same.
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self.reach(), other.reach()) {
            (Some(own), Some(other)) => Some(own.cmp(&other)),
            _ => (self == other).then_some(Ordering::Equal),
        }
    }
}

impl fmt::Display for Routability<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cluster => "Cluster",
            Self::Private => "Private",
            Self::Public => "Public",
            Self::Vendor(text) => text,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_and_names_under_a_domain_are_read() {
        for text in ["Public", "Private", "Cluster", "example.com/edge", "a/b"] {
            assert_eq!(Routability::parse(text).map(|read| read.to_string()).as_deref(), Some(text));
        }
        let long = format!("example.com/{}", "a".repeat(242));
        for text in
            ["Publicity", "semiPrivatebeta", "notCluster!", "UPPER com.example/x", "public", " Public", "", "a", &long]
        {
            assert_eq!(Routability::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_words_are_in_a_total_order_and_vendors_stand_beside_it() {
        let words = ["Cluster", "Private", "Public"].map(|text| Routability::parse(text).expect("a word"));
        assert!(words.is_sorted() && words[0] < words[1] && words[1] < words[2] && words[0] < words[2]);
        let (one, other) = (Routability::Vendor("a.example/x"), Routability::Vendor("b.example/x"));
        assert_eq!(one.partial_cmp(&one), Some(Ordering::Equal));
        assert_eq!(one.partial_cmp(&other), None);
        for word in words {
            assert_eq!((word.partial_cmp(&one), one.partial_cmp(&word)), (None, None));
            assert_eq!(word.partial_cmp(&word), Some(Ordering::Equal));
        }
    }
}
