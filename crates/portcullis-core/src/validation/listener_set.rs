//! The rules for a ListenerSet itself. The rules for its listeners are in [`listener`](super::listener).

use super::{Rule, RuleFn, object_reference, rule};
use crate::bundle::Enforced;
use crate::config::Theme;
use crate::field::At;
use crate::finding::{Actions, Finding, Findings};
use crate::kinds::ListenerSet;
use crate::kinds::reference::GATEWAY_GROUP;
use crate::kinds::walk::reference::Reference;

/// The rules for a ListenerSet.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "listener-set/parent-ref-malformed",
            include_str!("../checks/listener_set/parent_ref_malformed.md"),
            RuleFn::ListenerSet(|set, found| {
                object_reference::well_formed(&Reference::parent(PARENT, &set.spec.parent_ref), found)
            }),
        )
    },
    Rule {
        theme: Theme::Reference,
        ..Rule::reported(
            "listener-set/parent-kind-unsupported",
            include_str!("../checks/listener_set/parent_kind_unsupported.md"),
            Actions::ACROSS,
            RuleFn::ListenerSet(parent_kind),
        )
    },
];

/// The first error for which a controller rejects the ListenerSet as a whole, apart from errors of single listeners.
pub fn first_error(set: &ListenerSet<'_>) -> Option<Finding> {
    rule::errors(RULES, |test, found| {
        // Tests of other kinds are not in the table.
        if let RuleFn::ListenerSet(test) = test {
            test(set, found)
        }
    })
    .next()
}

/// The field that references the Gateway.
const PARENT: At = At::field("spec.parentRef");

fn parent_kind(set: &ListenerSet<'_>, found: &mut Findings<'_>) {
    let parent = &set.spec.parent_ref;
    if parent.group() != GATEWAY_GROUP {
        let value = format!("{}/{}", parent.group(), parent.kind());
        found.not_supported(PARENT.child("group"), &value, "{} is not supported: the parent must be a Gateway");
    } else if parent.kind() != "Gateway" {
        let template = "{} is not supported: the parent must be a Gateway";
        found.not_supported(PARENT.child("kind"), parent.kind(), template);
    }
}
