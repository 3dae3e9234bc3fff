//! The rules for a GatewayClass itself.

use std::iter;

use super::{Rule, RuleFn, object_reference, validators as must};
use crate::bundle::Enforced;
use crate::config::Theme;
use crate::field::{At, MapEntry};
use crate::finding::{Actions, Findings};
use crate::kinds::gateway_class::{
    DEFAULT_ANNOTATION, IN_CLUSTER_ANNOTATION, ROUTABILITIES_ANNOTATION, ROUTABILITY_CHANGE_ANNOTATION,
};
use crate::kinds::reference::TargetRef;
use crate::kinds::walk::reference::Reference;
use crate::kinds::{GatewayClass, Kind};
use crate::names;

/// The rules for a GatewayClass.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "gateway-class/controller-name-malformed",
            include_str!("../checks/gateway_class/controller_name_malformed.md"),
            Actions::DENY,
            RuleFn::GatewayClass(controller_name_malformed),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "gateway-class/description-too-long",
            include_str!("../checks/gateway_class/description_too_long.md"),
            Actions::DENY,
            RuleFn::GatewayClass(|class, found| {
                let description = class.spec.description.as_deref();
                let at = At::field("spec.description");
                found.each(description.map(|text| (at, text)), must::have_characters(DESCRIPTION))
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "gateway-class/parameters-malformed",
            include_str!("../checks/gateway_class/parameters_malformed.md"),
            Actions::DENY,
            RuleFn::GatewayClass(|class, found| {
                if let Some(parameters) = &class.spec.parameters_ref {
                    let reference = Reference::target(At::field("spec.parametersRef"), parameters);
                    object_reference::group_and_kind(&reference, found);
                    object_reference::well_formed(&reference, found);
                }
            }),
        )
    },
    Rule::reported(
        "gateway-class/parameters-namespace-mismatch",
        include_str!("../checks/gateway_class/parameters_namespace_mismatch.md"),
        Actions::DENY,
        RuleFn::GatewayClass(parameters_namespace_mismatch),
    ),
    Rule::reported(
        "gateway-class/routabilities-malformed",
        include_str!("../checks/gateway_class/routabilities_malformed.md"),
        Actions::DENY,
        RuleFn::GatewayClass(routabilities_malformed),
    ),
    Rule::reported(
        "gateway-class/routability-change-unknown",
        include_str!("../checks/gateway_class/routability_change_unknown.md"),
        Actions::WARN,
        RuleFn::GatewayClass(|class, found| {
            let template = "`{}` is treated as `Refused`; use `Allowed` or `Refused`";
            let values = annotation(class, ROUTABILITY_CHANGE_ANNOTATION);
            found.each(values, must::be_one_of(&["Allowed", "Refused"], template))
        }),
    ),
    Rule::reported(
        "gateway-class/default-annotation-not-boolean",
        include_str!("../checks/gateway_class/default_annotation_not_boolean.md"),
        Actions::WARN,
        RuleFn::GatewayClass(|class, found| {
            let annotations = [DEFAULT_ANNOTATION, IN_CLUSTER_ANNOTATION].into_iter();
            found.each(annotations.flat_map(|key| annotation(class, key)), must::be_boolean)
        }),
    ),
    Rule {
        theme: Theme::Policy,
        ..Rule::reported(
            "gateway-class/in-cluster-offers-private",
            include_str!("../checks/gateway_class/in_cluster_offers_private.md"),
            Actions::WARN,
            RuleFn::GatewayClass(in_cluster_offers_private),
        )
    },
    Rule::reported(
        "gateway-class/legacy-field",
        include_str!("../checks/gateway_class/legacy_field.md"),
        Actions::WARN,
        RuleFn::GatewayClass(|class, found| {
            if class.spec.controller.0 {
                let template = "unknown field `{}` is ignored: use `controllerName`, its name since v1beta1";
                found.not_supported(At::field("spec.controller"), "controller", template);
            }
        }),
    ),
];

/// The maximum number of characters in the name of a controller.
const CONTROLLER_NAME: usize = 253;
/// The maximum number of characters in a description.
const DESCRIPTION: usize = 64;
/// The maximum number of routabilities of a class (GEP-1651).
const ROUTABILITIES: usize = 8;

fn controller_name_malformed(class: &GatewayClass<'_>, found: &mut Findings<'_>) {
    let name = class.spec.controller_name.as_deref().unwrap_or_default();
    let name = (At::field("spec.controllerName"), name);
    found.each([name], must::not_be_empty("the controller name is required, such as example.com/gateway"));
    found.each([name], must::have_characters(CONTROLLER_NAME));
    found.each([name].into_iter().filter(|(_, name)| !names::is_too_long(name)), must::controller_name);
}

/// The annotation `key`, if it is present.
fn annotation<'o>(class: &'o GatewayClass<'_>, key: &'static str) -> Option<(MapEntry<'static>, &'o str)> {
    let at = At::field("metadata").child("annotations").entry(key);
    class.metadata.annotations.get(key).map(|value| (at, &**value))
}

fn parameters_namespace_mismatch(class: &GatewayClass<'_>, found: &mut Findings<'_>) {
    let Some(parameters) = &class.spec.parameters_ref else { return };
    let at = At::field("spec.parametersRef.namespace");
    match (is_namespaced(parameters), parameters.namespace.as_deref()) {
        (Some(true), None) => {
            let template = "the namespace of {} `{}` is required";
            found.required(at, template).args([parameters.kind_or(""), &parameters.name]);
        }
        (Some(false), Some(namespace)) => {
            let template = "`{}` must not be set: a {} is not namespaced";
            found.forbidden(at, namespace, template).args([namespace, parameters.kind_or("")]);
        }
        _ => {}
    }
}

/// Whether objects of the kind are namespaced; `None` for unknown kinds.
fn is_namespaced(parameters: &TargetRef<'_>) -> Option<bool> {
    match (parameters.group(), parameters.kind_or("")) {
        ("", "ConfigMap" | "Secret") => Some(true),
        (group, kind) => {
            let apis = Kind::ALL.into_iter().map(Kind::api);
            apis.filter(|api| api.group == group && api.kind == kind).map(|api| api.namespaced).next()
        }
    }
}

fn routabilities_malformed(class: &GatewayClass<'_>, found: &mut Findings<'_>) {
    let Some(entries) = class.annotated_routabilities() else { return };
    let entries: Vec<&str> = entries.collect();
    let at = At::field("metadata").child("annotations").entry(ROUTABILITIES_ANNOTATION);
    if entries.is_empty() {
        found.required(at, "at least one routability is required; set one or remove the annotation");
    }
    found.each(iter::once((at, entries.len())), must::have_entries(ROUTABILITIES));
    for (index, entry) in entries.iter().enumerate().take(ROUTABILITIES) {
        match must::routability(entry) {
            Ok(()) if entries[..index].contains(entry) => {
                found.duplicate(at, entry, "`{}` is listed twice: use one entry");
            }
            _ => found.each(iter::once((at, *entry)), must::routability),
        }
    }
}

fn in_cluster_offers_private(class: &GatewayClass<'_>, found: &mut Findings<'_>) {
    let offers = class.annotated_routabilities().is_some_and(|mut offered| offered.any(|entry| entry == "Private"));
    if class.is_in_cluster() && offers {
        let at = At::field("metadata").child("annotations").entry(ROUTABILITIES_ANNOTATION);
        let template = "`{}` must not be offered by a class whose Gateways run inside the cluster";
        found.forbidden(at, "Private", template);
    }
}
