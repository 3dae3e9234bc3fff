//! From where a Gateway can be reached (GEP-1651): three ordered values, and additional names defined by
//! implementations.

use std::cmp::Ordering;
use std::fmt;

use crate::names;

/// The maximum length of a routability in bytes.
const LONGEST: usize = 253;

/// From where a Gateway can be reached. The three defined values are ordered, the widest last. A vendor's value is not
/// comparable to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routability<'t> {
    /// From inside the cluster only.
    Cluster,
    /// From a network that is not the internet.
    Private,
    /// From the internet.
    Public,
    /// A `domain/name` that an implementation defines.
    Vendor(&'t str),
}

impl<'t> Routability<'t> {
    /// Parses a routability; `None` if `text` as a whole is not one.
    pub fn parse(text: &'t str) -> Option<Self> {
        match text {
            "Cluster" => Some(Self::Cluster),
            "Private" => Some(Self::Private),
            "Public" => Some(Self::Public),
            _ => (text.len() <= LONGEST && names::is_domain_prefixed_path(text)).then_some(Self::Vendor(text)),
        }
    }

    /// The position in the order of the three defined values; `None` for a vendor's value.
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
    /// Compares the reach. Returns `None` if one is a vendor's value and the two are not equal.
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
    fn routabilities_are_ordered_and_vendor_values_are_incomparable() {
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
