//! The rules for which routes may attach to listeners.

use super::super::{Rule, RuleFn, label_selector, validators as must};
use crate::bundle::Enforced;
use crate::config::Theme;
use crate::finding::{Actions, Cause, Findings};
use crate::kinds::listener::FromNamespaces;
use crate::kinds::protocol::{fits_protocol, suits};
use crate::kinds::reference::GATEWAY_GROUP;
use crate::kinds::walk::listener as walk;
use crate::kinds::{Kind, Listeners};

/// The rules for `allowedRoutes`.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "listener/from-unknown",
            include_str!("../../checks/listener/from_unknown.md"),
            RuleFn::Listeners(from_unknown),
        )
    },
    Rule::invalidates(
        "listener/selector-missing",
        include_str!("../../checks/listener/selector_missing.md"),
        RuleFn::Listeners(selector_missing),
    ),
    Rule::invalidates(
        "listener/selector-malformed",
        include_str!("../../checks/listener/selector_malformed.md"),
        RuleFn::Listeners(|listeners, found| {
            for (at, _, namespaces) in walk::namespaces(listeners) {
                if let Some(selector) = &namespaces.selector {
                    label_selector::well_formed(at, selector, found);
                }
            }
        }),
    ),
    Rule::reported(
        "listener/selector-unused",
        include_str!("../../checks/listener/selector_unused.md"),
        Actions::WARN,
        RuleFn::Listeners(selector_unused),
    ),
    Rule {
        theme: Theme::Tenancy,
        ..Rule::reported(
            "listener/open-to-all",
            include_str!("../../checks/listener/open_to_all.md"),
            Actions::RESTRICTED,
            RuleFn::Listeners(open_to_all),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "listener/route-kind-malformed",
            include_str!("../../checks/listener/route_kind_malformed.md"),
            Actions::DENY,
            RuleFn::Listeners(|listeners, found| {
                let kinds = || walk::route_kinds(listeners);
                let groups = kinds().filter_map(|(at, _, kind)| Some((at.child("group"), kind.group.as_deref()?)));
                found.each(groups, must::api_group);
                found.each(kinds().map(|(at, _, kind)| (at.child("kind"), &*kind.kind)), must::kind);
            }),
        )
    },
    Rule::reported(
        "listener/route-kind-mismatch",
        include_str!("../../checks/listener/route_kind_mismatch.md"),
        Actions::ACROSS,
        RuleFn::Listeners(route_kind_mismatch),
    ),
    Rule::reported(
        "listener/legacy-field",
        include_str!("../../checks/listener/legacy_field.md"),
        Actions::WARN,
        RuleFn::Listeners(legacy_field),
    ),
];

const ROUTES: [Kind; 5] = [Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute, Kind::TcpRoute, Kind::UdpRoute];

fn from_unknown(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, _, namespaces) in walk::namespaces(listeners) {
        let template = match namespaces.from.as_deref() {
            None | Some("All" | "Selector" | "Same") => continue,
            Some("None") => "`{}` is supported in spec.allowedListeners only: use All, Selector or Same",
            Some(_) => "`{}` is not supported: use All, Selector or Same",
        };
        found.not_supported(at.child("from"), namespaces.from.as_deref().unwrap_or_default(), template);
    }
}

fn selector_missing(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, listener, namespaces) in walk::namespaces(listeners) {
        if namespaces.lacks_selector() {
            let template = "a selector is required with `from: Selector`; without one no route attaches";
            found.add(Cause::Required, at.child("selector"), &listener.name, template);
        }
    }
}

fn selector_unused(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, listener, namespaces) in walk::namespaces(listeners) {
        if let Some(from) = namespaces.beside_unused_selector("Same") {
            let template = "the selector is ignored with `from: {}`; use `from: Selector`";
            found.forbidden(at.child("selector"), &listener.name, template).args([from]);
        }
    }
}

fn open_to_all(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, listener, namespaces) in walk::namespaces(listeners) {
        if listener.has_hosts() && listener.hostname().is_empty() && is_all(namespaces) {
            let template = "routes of any namespace can claim any host here: set a hostname, or select namespaces";
            found.forbidden(at.child("from"), &listener.name, template);
        }
    }
}

/// Whether routes of every namespace may attach. An empty selector selects all namespaces.
fn is_all(namespaces: &FromNamespaces<'_>) -> bool {
    match namespaces.from.as_deref() {
        Some("All") => true,
        Some("Selector") => namespaces.selector.as_ref().is_some_and(|selector| selector.keys().next().is_none()),
        _ => false,
    }
}

fn route_kind_mismatch(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, listener, kind) in walk::route_kinds(listeners) {
        let name = &*kind.kind;
        if kind.group.as_deref().unwrap_or(GATEWAY_GROUP) != GATEWAY_GROUP || name.is_empty() {
            continue;
        }
        let value = format!("{name} {}", listener.protocol);
        match ROUTES.into_iter().find(|route| route.api().kind == name) {
            Some(route) if suits(&listener.protocol, listener.is_passthrough(), route) == Some(false) => {
                if fits_protocol(&listener.protocol, route) == Some(true) {
                    // The specification has no such listener, but does not forbid one, and Traefik serves it.
                    let template = "in mode Passthrough only some controllers support {}: use TLSRoute";
                    found.not_supported(at.child("kind"), &value, template).args([name]).only_warns();
                } else {
                    let template = "a listener with protocol {} does not support {}; remove the kind";
                    found.not_supported(at.child("kind"), &value, template).args([&*listener.protocol, name]);
                }
            }
            Some(_) => {}
            None => {
                let template = "`{}` is not a kind of route in the Gateway API";
                found.not_supported(at.child("kind"), &value, template).args([name]).only_warns();
            }
        }
    }
}

fn legacy_field(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, listener) in walk::listeners(listeners) {
        let Some(routes) = &listener.routes else { continue };
        let template = match routes.get("selector").is_some_and(|selector| !selector.is_null()) {
            true => "`routes` is ignored; use `allowedRoutes`, and in the routes `parentRefs` instead of `selector`",
            false => "unknown field `routes` is ignored; use `allowedRoutes`",
        };
        found.invalid(at.child("routes"), &listener.name, template);
    }
    for (at, _, namespaces) in walk::namespaces(listeners) {
        if let Some(label) = namespaces.selector.as_ref().and_then(|selector| selector.stray.as_deref()) {
            let template = "unknown field `{}` is ignored, so more namespaces match; move labels to `matchLabels`";
            found.invalid(at.child("selector"), label, template);
        }
    }
}
