//! The rules for the backends of a route.

use crate::bundle::Enforced;
use crate::config::Theme;
use crate::finding::{Actions, Cause, Findings};
use crate::kinds::extension;
use crate::kinds::reference::{GATEWAY_GROUP, is_spelled_as_resource};
use crate::kinds::walk::RouteParts;
use crate::kinds::walk::reference::LocatedBackend;
use crate::kinds::walk::role::Role;
use crate::kinds::{Route, walk};
use crate::names;
use crate::validation::{Rule, RuleFn, validators as must};

/// The rules for backends.
pub const RULES: &[Rule] = &[
    Rule {
        theme: Theme::Reference,
        ..Rule::reported(
            "route/backend-kind-unknown",
            include_str!("../../checks/route/backend_kind_unknown.md"),
            Actions::WARN,
            RuleFn::RouteParts(kind_unknown),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/backend-port-missing",
            include_str!("../../checks/route/backend_port_missing.md"),
            Actions::DENY,
            RuleFn::RouteParts(port_missing),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/backends-missing",
            include_str!("../../checks/route/backends_missing.md"),
            Actions::DENY,
            RuleFn::Route(missing),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/backends-too-many",
            include_str!("../../checks/route/backends_too_many.md"),
            Actions::DENY,
            RuleFn::Route(|route, found| {
                let backends = walk::route::rules(route);
                let backends = backends.map(|(at, rule)| (at.child("backendRefs"), rule.backend_refs.len()));
                found.each(backends, must::have_entries(BACKENDS))
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/weight-out-of-range",
            include_str!("../../checks/route/weight_out_of_range.md"),
            Actions::DENY,
            RuleFn::RouteParts(weight_out_of_range),
        )
    },
    Rule::reported(
        "route/weights-all-zero",
        include_str!("../../checks/route/weights_all_zero.md"),
        Actions::WARN,
        RuleFn::Route(weights_all_zero),
    ),
];

/// The maximum number of backends of a rule.
const BACKENDS: usize = 16;

fn kind_unknown(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    let is_of_mesh = route.route().parent_refs().iter().any(|parent| parent.kind() == "Service");
    let backends = route.backends().iter().filter(|site| site.backend.can_answer() == Some(false));
    for LocatedBackend { at, backend, .. } in backends {
        let (group, kind) = (backend.group(), backend.kind());
        // Another rule reports a malformed group or kind.
        let is_misspelled = !names::is_kind(kind) || is_spelled_as_resource(kind);
        // Linkerd reads the group `core` as "".
        let is_of_linkerd = is_of_mesh && (group, kind) == ("core", "Service");
        if is_misspelled || is_of_linkerd || !names::is_group(group) {
            continue;
        }
        let own_group = if kind == "Service" { Some("") } else { extension::group_of(kind) };
        match own_group {
            Some("") => found.invalid(at.child("group"), group, "the group of a Service must be \"\", not `{}`"),
            Some(own) => {
                let template = "the group of {} must be `{}`, not `{}`";
                found.invalid(at.child("group"), group, template).args([kind, own, group])
            }
            None if route.route().is_l4() && (group, kind) == (GATEWAY_GROUP, "Gateway") => {
                let template =
                    "only some controllers support {} as a backend; with any other controller, use a Service";
                found.not_supported(at.child("kind"), kind, template)
            }
            None => {
                let value = if group.is_empty() { kind.to_owned() } else { [group, kind].join("/") };
                let template = "kind {} cannot receive requests: use a Service";
                found.not_supported(at.child("kind"), &value, template)
            }
        };
    }
}

fn port_missing(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    for LocatedBackend { at, backend, .. } in route.backends() {
        if backend.is_service() && backend.port.is_none() && !backend.name.is_empty() {
            let template = "the port of Service `{}` is required";
            found.add(Cause::Required, at.child("port"), &backend.name, template);
        }
    }
}

fn missing(route: &Route<'_, '_>, found: &mut Findings<'_>) {
    if !route.is_l4() {
        return;
    }
    for (at, _) in walk::route::rules(route).filter(|(_, rule)| rule.backend_refs.is_empty()) {
        let kind = route.kind().api().kind;
        found.required(at.child("backendRefs"), "each rule of a {} must have a backend").args([kind]);
    }
}

/// The maximum weight.
const WEIGHT: i64 = 1_000_000;

fn weight_out_of_range(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    // Backends in other roles are not chosen by weight.
    for LocatedBackend { at, backend, .. } in route.backends().iter().filter(|site| site.role == Role::Answers) {
        if let Some(weight) = backend.weight.filter(|weight| !(0..=WEIGHT).contains(weight)) {
            let template = "weight {} is out of range: use a weight between 0 and 1000000";
            found.invalid(at.child("weight"), &weight.to_string(), template);
        }
    }
}

fn weights_all_zero(route: &Route<'_, '_>, found: &mut Findings<'_>) {
    for (at, rule) in walk::route::rules(route).filter(|(_, rule)| !rule.backend_refs.is_empty()) {
        if rule.backend_refs.iter().all(|backend| backend.weight == Some(0)) {
            let template = "every weight is {}, so no backend of this rule is used: increase one of them";
            found.invalid(at.child("backendRefs"), "0", template);
        }
    }
}
