//! The rules for the parents of a route.

use std::iter;

use crate::bundle::Enforced;
use crate::config::Theme;
use crate::field::At;
use crate::finding::{Actions, Findings};
use crate::kinds::extension;
use crate::kinds::reference::{GATEWAY_GROUP, is_spelled_as_resource};
use crate::kinds::{Route, walk};
use crate::names;
use crate::validation::{Rule, RuleFn, validators as must};

/// The rules for parents.
pub const RULES: &[Rule] = &[
    Rule::reported(
        "route/legacy-field",
        include_str!("../../checks/route/legacy_field.md"),
        Actions::WARN,
        RuleFn::Route(legacy_field),
    ),
    Rule {
        theme: Theme::Reference,
        ..Rule::reported(
            "route/parent-kind-unknown",
            include_str!("../../checks/route/parent_kind_unknown.md"),
            Actions::WARN,
            RuleFn::Route(kind_unknown),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/parent-refs-too-many",
            include_str!("../../checks/route/parent_refs_too_many.md"),
            Actions::DENY,
            RuleFn::Route(|route, found| {
                let count = route.parent_refs().len();
                found.each(iter::once((At::field("spec.parentRefs"), count)), must::have_entries(PARENTS))
            }),
        )
    },
];

/// The maximum number of parents of a route (GEP-724 says 16; the CRDs have always allowed 32).
const PARENTS: usize = 32;

fn legacy_field(route: &Route<'_, '_>, found: &mut Findings<'_>) {
    for field in route.drafted() {
        let template = "`{}` has no effect: list the Gateways in `parentRefs`";
        found.invalid(At::field("spec").child(field), field, template);
    }
    for (at, _) in walk::route::parent_refs(route).filter(|(_, parent)| parent.scope.0) {
        let template = "`{}` has no effect: set `namespace` to the namespace of the parent";
        found.invalid(at.child("scope"), "scope", template);
    }
    for (at, _) in walk::route::rules(route).filter(|(_, rule)| rule.forwards) {
        let template = "`{}` has no effect: list the backends in `backendRefs`";
        found.invalid(at.child("forwardTo"), "forwardTo", template);
    }
}

/// The kinds to which routes attach: those with listeners and, for a mesh, the Service. Linkerd reads the group `core` as "", as its
/// reference says.
const KNOWN: [(&str, &str); 5] = [
    (GATEWAY_GROUP, "Gateway"),
    (GATEWAY_GROUP, "ListenerSet"),
    ("gateway.networking.x-k8s.io", "XListenerSet"),
    ("", "Service"),
    ("core", "Service"),
];

fn kind_unknown(route: &Route<'_, '_>, found: &mut Findings<'_>) {
    for (at, parent) in walk::route::parent_refs(route) {
        let (group, kind) = (parent.group(), parent.kind());
        // Another rule reports a malformed group or kind.
        let is_misspelled = !names::is_kind(kind) || is_spelled_as_resource(kind);
        let is_extension = extension::is_parent(group, kind) && KNOWN.iter().all(|(_, known)| *known != kind);
        if is_misspelled || is_extension || KNOWN.contains(&(group, kind)) || !names::is_group(group) {
            continue;
        }
        let own_group = KNOWN.into_iter().find(|(_, known)| *known == kind).map(|(own, _)| own);
        match own_group.or_else(|| extension::group_of(kind)) {
            Some("") => found.invalid(at.child("group"), group, "the group of a Service must be \"\", not `{}`"),
            Some(own) => {
                let template = "the group of {} must be `{}`, not `{}`";
                found.invalid(at.child("group"), group, template).args([kind, own, group])
            }
            None => {
                let template = "routes cannot attach to the kind `{}`: use a Gateway, a ListenerSet or a Service";
                found.not_supported(at.child("kind"), kind, template)
            }
        };
    }
}
