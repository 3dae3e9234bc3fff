//! The answer of one side to a request.

use std::collections::BTreeMap;

use super::UnevaluatedObject;
use super::asked::Asked;
use crate::explain::{Explanation, Winner};
use crate::kinds::ObjectRef;

/// The answer of one side, with what may change it and is not evaluated.
pub(super) struct Answer<'a> {
    pub(super) explanation: &'a Explanation,
    pub(super) policies: Vec<UnevaluatedObject>,
    pub(super) asked: Vec<Asked>,
    /// What is written around the rule that answers and is not evaluated, by what it is.
    pub(super) around: BTreeMap<String, String>,
    /// Whether it is over TLS, and a client cannot verify the certificate.
    pub(super) is_unverifiable: bool,
    /// What the answer needs that the files of this side contain and those of the other do not.
    pub(super) removed: Vec<ObjectRef>,
}

/// The rule that answers, if any.
pub(super) fn winner(answer: &Explanation) -> Option<&Winner> {
    answer.winner.as_ref().map(|(_, winner)| winner)
}
