//! The rules for a Gateway itself. The rules for its listeners are in [`listener`](super::listener).

pub mod address;
pub mod allowed_listeners;
pub mod frontend;
pub mod infrastructure;
pub mod routability;

use super::{Rule, RuleFn, object_reference, rule, validators as must};
use crate::bundle::Enforced;
use crate::config::Theme;
use crate::field::At;
use crate::finding::{Actions, Finding, Findings};
use crate::kinds::Gateway;
use crate::kinds::walk::gateway::{self as walk, Purpose};
use crate::kinds::walk::reference::Reference;

/// The rules for the Gateway as a whole.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "gateway/text-too-long",
            include_str!("../../checks/gateway/text_too_long.md"),
            RuleFn::Gateway(text_too_long),
        )
    },
    Rule {
        enforced: Some(Enforced::experimental(1, 4)),
        ..Rule::invalidates(
            "gateway/default-scope-unknown",
            include_str!("../../checks/gateway/default_scope_unknown.md"),
            RuleFn::Gateway(|gateway, found| {
                let scope = gateway.spec.default_scope.as_deref();
                let template = "`{}` is not supported: use All or None";
                let at = At::field("spec.defaultScope");
                found.each(scope.map(|scope| (at, scope)), must::be_one_of(&["All", "None"], template))
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::since(1, 5)),
        ..Rule::reported(
            "gateway/reference-malformed",
            include_str!("../../checks/gateway/reference_malformed.md"),
            Actions::DENY,
            RuleFn::Gateway(reference_malformed),
        )
    },
    Rule {
        theme: Theme::Reference,
        ..Rule::reported(
            "gateway/tls-reference-kind-unsupported",
            include_str!("../../checks/gateway/tls_reference_kind_unsupported.md"),
            Actions::WARN,
            RuleFn::Gateway(tls_reference_kind),
        )
    },
];

/// The first error for which a controller rejects the Gateway as a whole, apart from errors of single listeners.
pub fn first_error(gateway: &Gateway<'_>) -> Option<Finding> {
    let tables = [RULES, address::RULES, allowed_listeners::RULES, frontend::RULES, infrastructure::RULES];
    let tables = tables.into_iter().chain([routability::RULES]);
    let mut errors = tables.flat_map(|table| {
        rule::errors(table, |test, found| {
            // Tests of other kinds are not in the table.
            if let RuleFn::Gateway(test) = test {
                test(gateway, found)
            }
        })
    });
    errors.next()
}

/// The maximum number of characters in a name or an address.
const NAME: usize = 253;
/// The maximum number of characters in the value of an annotation.
const ANNOTATION: usize = 4096;

fn text_too_long(gateway: &Gateway<'_>, found: &mut Findings<'_>) {
    found.each([(At::field("spec.gatewayClassName"), gateway.class())], must::have_characters(NAME));
    for (at, address) in walk::addresses(gateway) {
        let value = address.value.as_deref().unwrap_or_default();
        found.each([(at.child("type"), address.kind()), (at.child("value"), value)], must::have_characters(NAME));
    }
    let annotations = walk::infrastructure_annotations(gateway).map(|(at, _, value)| (at, value));
    found.each(annotations, must::have_characters(ANNOTATION));
}

fn reference_malformed(gateway: &Gateway<'_>, found: &mut Findings<'_>) {
    for (at, target, purpose) in walk::references(gateway) {
        let reference = Reference::target(at, target);
        // Only a certificate reference has a default kind.
        if purpose != Purpose::ClientCertificate {
            object_reference::group_and_kind(&reference, found);
        }
        object_reference::well_formed(&reference, found);
    }
}

fn tls_reference_kind(gateway: &Gateway<'_>, found: &mut Findings<'_>) {
    for (at, target, purpose) in walk::references(gateway) {
        let Some(core) = purpose.core_kind() else { continue };
        let kind = target.kind_or(core);
        if kind == core && !target.group().is_empty() {
            found.each([(at.child("group"), target.group())], must::be_core_group_of(core));
        } else if !kind.is_empty() && kind != core {
            let template = "only some controllers support {} here; use a {}";
            found.not_supported(at.child("kind"), kind, template).args([kind, core]);
        }
    }
}
