//! The rules for the labels and annotations that a Gateway sets on its infrastructure.

use super::super::{Rule, RuleFn, validators as must};
use crate::bundle::Enforced;
use crate::kinds::walk::gateway as walk;

/// The rules for `spec.infrastructure`.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "gateway/infrastructure-key-malformed",
            include_str!("../../checks/gateway/infrastructure_key_malformed.md"),
            RuleFn::Gateway(|gateway, found| {
                let entries = walk::infrastructure_labels(gateway).chain(walk::infrastructure_annotations(gateway));
                found.each(entries.map(|(at, key, _)| (at, key)), must::infrastructure_key)
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "gateway/infrastructure-label-malformed",
            include_str!("../../checks/gateway/infrastructure_label_malformed.md"),
            RuleFn::Gateway(|gateway, found| {
                let labels = walk::infrastructure_labels(gateway).map(|(at, _, value)| (at, value));
                found.each(labels, must::label_value)
            }),
        )
    },
];
