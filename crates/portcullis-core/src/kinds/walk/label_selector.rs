//! The elements of a field `selector`.

use crate::field::{At, Element, MapEntry};
use crate::kinds::label_selector::{LabelSelector, Requirement};

/// Each required label, with its key and its value.
pub fn match_labels<'s>(
    at: At,
    selector: &'s LabelSelector<'_>,
) -> impl Iterator<Item = (MapEntry<'s>, &'s str, &'s str)> {
    let map = at.child("selector.matchLabels");
    selector.match_labels.iter().map(move |(key, value)| (map.entry(key), key, value))
}

/// Each further requirement.
pub fn match_expressions<'s, 'a>(
    at: At,
    selector: &'s LabelSelector<'a>,
) -> impl Iterator<Item = (Element, &'s Requirement<'a>)> {
    let list = at.child("selector.matchExpressions");
    let requirements = selector.match_expressions.iter().enumerate();
    requirements.map(move |(index, requirement)| (list.element(index), requirement))
}
