//! The rules for an IngressClass itself.

use super::{BEYOND_KEP, Rule, RuleFn, validators as must};
use crate::field::{At, Child, MapEntry};
use crate::finding::{Action, Actions, Findings};
use crate::kinds::IngressClass;
use crate::kinds::ingress_class::{DEFAULT_ANNOTATION, Parameters};

/// The actions if the design document (KEP-758) is less strict than the API server and only recommends the form.
const ADVISED: Actions = Actions::new(Action::Deny, Action::Deny, Action::Warn);

/// The maximum number of bytes in the name of a controller.
const MAX_CONTROLLER_BYTES: usize = 250;

/// The rules for an IngressClass.
pub const RULES: &[Rule] = &[
    Rule::reported(
        "ingress-class/controller-malformed",
        include_str!("../checks/ingress_class/controller_malformed.md"),
        ADVISED,
        RuleFn::IngressClass(|class, found| found.each(controller(class), must::controller_name)),
    ),
    Rule::reported(
        "ingress-class/controller-missing",
        include_str!("../checks/ingress_class/controller_missing.md"),
        Actions::DENY,
        RuleFn::IngressClass(|class, found| {
            found.each(controller(class), must::not_be_empty("a controller is required, such as example.com/ingress"))
        }),
    ),
    Rule::reported(
        "ingress-class/controller-too-long",
        include_str!("../checks/ingress_class/controller_too_long.md"),
        BEYOND_KEP,
        RuleFn::IngressClass(|class, found| {
            let template = "the controller has {} bytes; at most 250 are allowed";
            found.each(controller(class), must::have_at_most_bytes(MAX_CONTROLLER_BYTES, template))
        }),
    ),
    Rule::reported(
        "ingress-class/default-annotation-not-boolean",
        include_str!("../checks/ingress_class/default_annotation_not_boolean.md"),
        Actions::WARN,
        RuleFn::IngressClass(|class, found| found.each(default_annotation(class), must::be_boolean)),
    ),
    Rule::reported(
        "ingress-class/name-malformed",
        include_str!("../checks/ingress_class/name_malformed.md"),
        Actions::DENY,
        // The name is empty if the API server has not generated it from `generateName` yet; an empty name passes.
        RuleFn::IngressClass(|class, found| {
            found.each([(At::field("metadata.name"), class.metadata.name())], must::dns_subdomain)
        }),
    ),
    Rule::reported(
        "ingress-class/parameters-group-malformed",
        include_str!("../checks/ingress_class/parameters_group_malformed.md"),
        Actions::DENY,
        RuleFn::IngressClass(|class, found| found.each(group(class), must::named_api_group)),
    ),
    Rule::reported(
        "ingress-class/parameters-incomplete",
        include_str!("../checks/ingress_class/parameters_incomplete.md"),
        Actions::DENY,
        RuleFn::IngressClass(parameters_incomplete),
    ),
    Rule::reported(
        "ingress-class/parameters-namespace-mismatch",
        include_str!("../checks/ingress_class/parameters_namespace_mismatch.md"),
        BEYOND_KEP,
        RuleFn::IngressClass(parameters_namespace_mismatch),
    ),
    Rule::reported(
        "ingress-class/parameters-scope-unknown",
        include_str!("../checks/ingress_class/parameters_scope_unknown.md"),
        BEYOND_KEP,
        RuleFn::IngressClass(|class, found| {
            let template = "scope `{}` is not supported: use Cluster or Namespace";
            found.each(scope(class), must::be_one_of(&["Cluster", "Namespace"], template))
        }),
    ),
];

/// The controller; the empty text if it is absent.
fn controller<'o>(class: &'o IngressClass<'_>) -> impl Iterator<Item = (At, &'o str)> {
    [(At::field("spec.controller"), &*class.spec.controller)].into_iter()
}

fn default_annotation<'o>(class: &'o IngressClass<'_>) -> impl Iterator<Item = (MapEntry<'static>, &'o str)> {
    let at = At::field("metadata").child("annotations").entry(DEFAULT_ANNOTATION);
    class.metadata.annotations.get(DEFAULT_ANNOTATION).into_iter().map(move |value| (at, &**value))
}

fn parameters<'o, 'a>(class: &'o IngressClass<'a>) -> impl Iterator<Item = (At, &'o Parameters<'a>)> {
    class.spec.parameters.iter().map(|parameters| (At::field("spec.parameters"), parameters))
}

fn group<'o>(class: &'o IngressClass<'_>) -> impl Iterator<Item = (Child, &'o str)> {
    parameters(class).filter_map(|(at, parameters)| Some((at.child("apiGroup"), parameters.api_group.as_deref()?)))
}

fn scope<'o>(class: &'o IngressClass<'_>) -> impl Iterator<Item = (Child, &'o str)> {
    parameters(class).filter_map(|(at, parameters)| Some((at.child("scope"), parameters.scope.as_deref()?)))
}

fn parameters_incomplete(class: &IngressClass<'_>, found: &mut Findings<'_>) {
    for (at, parameters) in parameters(class) {
        let (kind, name) = ((at.child("kind"), &*parameters.kind), (at.child("name"), &*parameters.name));
        found.each([kind], must::not_be_empty("the kind of the parameters is required"));
        found.each([name], must::not_be_empty("the name of the parameters is required"));
        found.each([kind, name], must::path_segment);
    }
}

fn parameters_namespace_mismatch(class: &IngressClass<'_>, found: &mut Findings<'_>) {
    for (at, parameters) in parameters(class) {
        let at = at.child("namespace");
        match (parameters.scope.as_deref(), parameters.namespace.as_deref()) {
            (Some("Namespace"), None) => {
                found.required(at, "a namespace is required: the scope of the parameters is Namespace");
            }
            (Some("Namespace"), Some(namespace)) => found.each([(at, namespace)], must::namespace),
            // The API server sets the scope to `Cluster` if it is absent.
            (Some("Cluster") | None, Some(namespace)) => {
                let template = "namespace `{}` must not be set with scope Cluster: remove it, or use scope Namespace";
                found.forbidden(at, namespace, template);
            }
            _ => {}
        }
    }
}
