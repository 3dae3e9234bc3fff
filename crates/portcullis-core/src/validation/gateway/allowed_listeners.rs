//! The rules for which ListenerSets may attach to a Gateway.

use super::super::{Rule, RuleFn, label_selector, validators as must};
use crate::bundle::Enforced;
use crate::field::At;
use crate::finding::{Actions, Findings};
use crate::kinds::Gateway;
use crate::kinds::listener::FromNamespaces;

/// The rules for `spec.allowedListeners`.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::since(1, 5)),
        ..Rule::invalidates(
            "gateway/allowed-listeners-from-unknown",
            include_str!("../../checks/gateway/allowed_listeners_from_unknown.md"),
            RuleFn::Gateway(from_unknown),
        )
    },
    Rule::invalidates(
        "gateway/allowed-listeners-selector-missing",
        include_str!("../../checks/gateway/allowed_listeners_selector_missing.md"),
        RuleFn::Gateway(|gateway, found| {
            if gateway.allowed_listeners().is_some_and(FromNamespaces::lacks_selector) {
                let template = "a selector is required with `from: Selector`; without one no ListenerSet attaches";
                found.required(NAMESPACES.child("selector"), template);
            }
        }),
    ),
    Rule::invalidates(
        "gateway/allowed-listeners-selector-malformed",
        include_str!("../../checks/gateway/allowed_listeners_selector_malformed.md"),
        RuleFn::Gateway(|gateway, found| {
            let selector = gateway.allowed_listeners().and_then(|namespaces| namespaces.selector.as_ref());
            if let Some(selector) = selector {
                label_selector::well_formed(NAMESPACES, selector, found);
            }
        }),
    ),
    Rule::reported(
        "gateway/allowed-listeners-selector-ignored",
        include_str!("../../checks/gateway/allowed_listeners_selector_ignored.md"),
        Actions::WARN,
        RuleFn::Gateway(|gateway, found| {
            let namespaces = gateway.allowed_listeners();
            if let Some(from) = namespaces.and_then(|namespaces| namespaces.beside_unused_selector("None")) {
                let template = "the selector is ignored with `from: {}`; use `from: Selector`";
                found.forbidden(NAMESPACES.child("selector"), from, template);
            }
        }),
    ),
];

/// The namespaces whose ListenerSets may attach.
const NAMESPACES: At = At::field("spec.allowedListeners.namespaces");

fn from_unknown(gateway: &Gateway<'_>, found: &mut Findings<'_>) {
    let from = gateway.allowed_listeners().and_then(|namespaces| namespaces.from.as_deref());
    let template = "`{}` is not supported: use All, Selector, Same or None";
    let known = must::be_one_of(&["All", "Selector", "Same", "None"], template);
    found.each(from.map(|from| (NAMESPACES.child("from"), from)), known);
}
