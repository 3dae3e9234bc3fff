//! Evaluates conditions on labels, as far as the labels are known.

use super::NamespaceFacts;
use crate::config::LabelCondition;
use crate::kinds::label_selector::NAMESPACE_NAME;

/// Whether the namespace `name` meets all conditions on labels; `None` if the result depends on labels that are not known. One label
/// always is: the API server sets it to the name.
pub fn labels_match<'s>(
    conditions: impl Iterator<Item = LabelCondition<'s>>,
    name: &str,
    known: Option<&NamespaceFacts>,
) -> Option<bool> {
    all_known(conditions.map(|condition| match condition.key() {
        NAMESPACE_NAME => Some(condition.holds(Some(name))),
        key => known.map(|namespace| condition.holds(namespace.label(key))),
    }))
}

/// Whether all answers are `Some(true)`; `None` if the result depends on an unknown answer.
pub(super) fn all_known(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    any_known(answers.map(|answer| answer.map(|holds| !holds))).map(|has_false| !has_false)
}

/// Whether one of the answers is `Some(true)`; `None` if the result depends on an unknown answer.
pub(super) fn any_known(mut answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let known = answers.try_fold(Some(false), |so_far, answer| match answer {
        Some(true) => Err(()),
        Some(false) => Ok(so_far),
        None => Ok(None),
    });
    known.unwrap_or(Some(true))
}
