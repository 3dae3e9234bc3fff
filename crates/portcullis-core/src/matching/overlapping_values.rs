//! Whether requests exist that have one value of each of two lists: of a header, a parameter, or an address.

use std::cmp::Ordering;
use std::net::IpAddr;

use hashbrown::HashSet;
use regex_automata::meta::Regex;

use super::compile::Reach;
use super::expressions::Expressions;
use super::overlap::Overlap;

/// The prefix with which Kong marks a regular expression that ignores case.
pub(super) const EXPRESSION: &str = "~*";

/// How many expressions of one list are matched. Whether one request has a value of a longer list is not known.
const MAX_EXPRESSIONS: usize = 4;

/// How many bytes of values an expression is matched with. Whether it matches one beyond them is not known.
const MAX_TEXT: usize = 256;

/// Whether a value of each list may belong to one request: two are equal, or one is a regular expression that matches
/// the other, or they are networks of which one contains the other. The lists are sorted. An empty list has every value.
pub(super) fn overlap(one: &[&str], other: &[&str], compiled: &Expressions) -> Overlap {
    if one.is_empty() || other.is_empty() || has_equal(one, other) || networks_overlap(one, other) {
        return Overlap::Certain;
    }
    let is_expression = |value: &&&str| value.starts_with(EXPRESSION);
    let ((first, texts), (second, other_texts)): ((Vec<_>, Vec<_>), (Vec<_>, Vec<_>)) =
        (one.iter().partition(is_expression), other.iter().partition(is_expression));
    // Whether one request passes two expressions is not known.
    let both = if first.is_empty() || second.is_empty() { Overlap::None } else { Overlap::Possible };
    both.min(expressions_overlap(&first, &other_texts, compiled)).min(expressions_overlap(&second, &texts, compiled))
}

/// Whether one of the expressions matches one of the texts.
fn expressions_overlap(expressions: &[&&str], texts: &[&&str], compiled: &Expressions) -> Overlap {
    if expressions.is_empty() || texts.is_empty() {
        return Overlap::None;
    }
    let mut left = MAX_TEXT;
    let compared = texts.iter().take_while(|text| {
        let rest = left.checked_sub(text.len());
        left = rest.unwrap_or_default();
        rest.is_some()
    });
    let compared: Vec<_> = compared.collect();
    let is_all = expressions.len() <= MAX_EXPRESSIONS && compared.len() == texts.len();
    let mut nearest = if is_all { Overlap::None } else { Overlap::Possible };
    for expression in expressions.iter().take(MAX_EXPRESSIONS) {
        let matches = |compiled: &Regex| compared.iter().any(|text| compiled.is_match(text.as_bytes()));
        let compiled = compiled.get(expression.trim_start_matches(EXPRESSION), Reach::Anywhere(true));
        nearest = nearest.min(match compiled.as_ref().as_ref().map(matches) {
            Ok(true) => return Overlap::Certain,
            Ok(false) => Overlap::None,
            Err(_) => Overlap::Possible,
        });
    }
    nearest
}

/// Whether two sorted lists have a value in common.
fn has_equal(one: &[&str], other: &[&str]) -> bool {
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    while let (Some(left), Some(right)) = (one.peek(), other.peek()) {
        match left.cmp(right) {
            Ordering::Less => one.next(),
            Ordering::Greater => other.next(),
            Ordering::Equal => return true,
        };
    }
    false
}

/// Whether a network of one list contains one of the other.
fn networks_overlap(one: &[&str], other: &[&str]) -> bool {
    let (one, other) = (networks(one), networks(other));
    contains_any(&one, &other) || contains_any(&other, &one)
}

/// A network: the family of its addresses, its bits aligned to the left, and the length of its prefix.
type Network = (bool, u128, u8);

fn networks(values: &[&str]) -> HashSet<Network> {
    values.iter().filter_map(|value| network(value)).collect()
}

/// Whether a network of `outer` contains one of `inner`.
fn contains_any(outer: &HashSet<Network>, inner: &HashSet<Network>) -> bool {
    let lengths: HashSet<u8> = outer.iter().map(|(.., length)| *length).collect();
    let is_within = |(family, bits, length): &Network| {
        let shorter = lengths.iter().filter(|outer| *outer <= length);
        shorter.into_iter().any(|length| outer.contains(&(*family, masked(*bits, *length), *length)))
    };
    !outer.is_empty() && inner.iter().any(is_within)
}

fn network(text: &str) -> Option<Network> {
    let (address, length) = text.split_once('/')?;
    let length: u8 = length.parse().ok()?;
    let (is_v4, bits, most) = match address.parse().ok()? {
        IpAddr::V4(address) => (true, u128::from(u32::from(address)) << 96, 32),
        IpAddr::V6(address) => (false, u128::from(address), 128),
    };
    (length <= most).then_some((is_v4, masked(bits, length), length))
}

/// The first `length` bits.
fn masked(bits: u128, length: u8) -> u128 {
    bits & !u128::MAX.checked_shr(length.into()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_overlap_if_one_contains_the_other() {
        let overlaps = |one, other| overlap(&[one], &[other], &Expressions::default()) == Overlap::Certain;
        assert!(overlaps("10.0.0.0/8", "10.1.0.0/16") && overlaps("0.0.0.0/0", "10.0.0.0/8"));
        assert!(overlaps("10.1.2.3/16", "10.1.0.0/16") && overlaps("10.1.2.3/32", "10.1.0.0/16"));
        assert!(
            overlaps("fd00::/8", "fd12::/16") && !overlaps("fd00::/8", "10.0.0.0/8") && !overlaps("::/0", "0.0.0.0/0")
        );
        assert!(!overlaps("10.1.0.0/16", "10.2.0.0/16") && !overlaps("GET", "POST"));
    }

    #[test]
    fn expression_overlaps_with_values_that_it_matches() {
        let large = format!("{EXPRESSION}{}", ".{1,1000}".repeat(20));
        let many: Vec<String> = (10..40).map(|number| format!("{EXPRESSION}a{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let (long, values) = ("a".repeat(MAX_TEXT + 1), ["a10", "b"]);
        for (one, other, expected) in [
            (&["~*^A$"][..], &values[..], Overlap::None),
            (&["~*^B$"], &values, Overlap::Certain),
            (&["~*c", "~*^B$"], &values, Overlap::Certain),
            (&["~*("], &values, Overlap::Possible),
            (&["~*c"], &["~*a"], Overlap::Possible),
            (&["a10", "~*c"], &["a10", "~*a"], Overlap::Certain),
            (&[&large], &values, Overlap::Possible),
            (&many, &values, Overlap::Certain),
            (&many, &["a39"], Overlap::Possible),
            (&["~*b"], &[&long], Overlap::Possible),
        ] {
            let compiled = Expressions::default();
            assert_eq!(overlap(one, other, &compiled), expected, "{one:?} {other:?}");
            assert_eq!(overlap(other, one, &compiled), expected, "the other way round: {one:?} {other:?}");
        }
    }
}
