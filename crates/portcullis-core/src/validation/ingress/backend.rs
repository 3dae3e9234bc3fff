//! The rules for the backends of an Ingress: the default backend and the backend of each path.

use crate::config::Theme;
use crate::field::{At, Child};
use crate::finding::{Actions, Cause, Findings};
use crate::kinds::ingress::{Backend, ServiceBackend, TypedRef};
use crate::kinds::{Ingress, walk};
use crate::validation::{BEYOND_KEP, Rule, RuleFn, validators as must};

/// The rules for the backends of an Ingress.
pub const RULES: &[Rule] = &[
    Rule {
        theme: Theme::Policy,
        ..Rule::reported(
            "ingress/default-backend-set",
            include_str!("../../checks/ingress/default_backend_set.md"),
            Actions::RESTRICTED,
            RuleFn::Ingress(default_backend_set),
        )
    },
    Rule::reported(
        "ingress/backend-ambiguous",
        include_str!("../../checks/ingress/backend_ambiguous.md"),
        Actions::DENY,
        RuleFn::Ingress(backend_ambiguous),
    ),
    Rule::reported(
        "ingress/backend-missing",
        include_str!("../../checks/ingress/backend_missing.md"),
        Actions::DENY,
        RuleFn::Ingress(backend_missing),
    ),
    Rule::reported(
        "ingress/service-name-malformed",
        include_str!("../../checks/ingress/service_name_malformed.md"),
        Actions::DENY,
        RuleFn::Ingress(|ingress, found| found.each(service_names(ingress), must::dns_label)),
    ),
    Rule::reported(
        "ingress/service-name-missing",
        include_str!("../../checks/ingress/service_name_missing.md"),
        BEYOND_KEP,
        RuleFn::Ingress(service_name_missing),
    ),
    Rule::reported(
        "ingress/port-missing",
        include_str!("../../checks/ingress/port_missing.md"),
        BEYOND_KEP,
        RuleFn::Ingress(port_missing),
    ),
    Rule::reported(
        "ingress/port-named-twice",
        include_str!("../../checks/ingress/port_named_twice.md"),
        Actions::DENY,
        RuleFn::Ingress(port_named_twice),
    ),
    Rule::reported(
        "ingress/port-name-malformed",
        include_str!("../../checks/ingress/port_name_malformed.md"),
        Actions::DENY,
        RuleFn::Ingress(|ingress, found| found.each(port_names(ingress), must::port_name)),
    ),
    Rule::reported(
        "ingress/port-number-out-of-range",
        include_str!("../../checks/ingress/port_number_out_of_range.md"),
        Actions::DENY,
        RuleFn::Ingress(|ingress, found| found.each(port_numbers(ingress), must::port_number)),
    ),
    Rule::reported(
        "ingress/resource-group-malformed",
        include_str!("../../checks/ingress/resource_group_malformed.md"),
        BEYOND_KEP,
        RuleFn::Ingress(|ingress, found| found.each(resource_groups(ingress), must::named_api_group)),
    ),
    Rule::reported(
        "ingress/resource-incomplete",
        include_str!("../../checks/ingress/resource_incomplete.md"),
        Actions::DENY,
        RuleFn::Ingress(resource_incomplete),
    ),
];

/// The Service of each backend that specifies only a Service, with the address of the backend.
fn services<'o, 'a>(ingress: &'o Ingress<'a>) -> impl Iterator<Item = (At, &'o ServiceBackend<'a>)> {
    walk::backends(ingress).filter_map(|(at, backend)| Some((at, backend.only_service()?)))
}

/// The resource of each backend that specifies only a resource, with the address of the backend.
fn resources<'o, 'a>(ingress: &'o Ingress<'a>) -> impl Iterator<Item = (At, &'o TypedRef<'a>)> {
    walk::backends(ingress).filter_map(|(at, backend)| Some((at, backend.only_resource()?)))
}

fn service_names<'o>(ingress: &'o Ingress<'_>) -> impl Iterator<Item = (Child, &'o str)> {
    services(ingress).map(|(at, service)| (at.child("service.name"), &*service.name))
}

/// Each port that has only a name.
fn port_names<'o>(ingress: &'o Ingress<'_>) -> impl Iterator<Item = (Child, &'o str)> {
    let names = services(ingress).filter(|(_, service)| service.port.number().is_none());
    names.filter_map(|(at, service)| Some((at.child("service.port.name"), service.port.name()?)))
}

/// Each port that has only a number.
fn port_numbers(ingress: &Ingress<'_>) -> impl Iterator<Item = (Child, i64)> {
    let numbers = services(ingress).filter(|(_, service)| service.port.name().is_none());
    numbers.filter_map(|(at, service)| Some((at.child("service.port.number"), service.port.number()?)))
}

fn resource_groups<'o>(ingress: &'o Ingress<'_>) -> impl Iterator<Item = (Child, &'o str)> {
    resources(ingress)
        .filter_map(|(at, resource)| Some((at.child("resource.apiGroup"), resource.api_group.as_deref()?)))
}

fn default_backend_set(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    if ingress.spec.default_backend.is_some() {
        let template = "a default backend receives the requests of every host: use a rule for each host instead";
        found.forbidden(At::field("spec.defaultBackend"), "", template);
    }
}

fn backend_ambiguous(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    for (at, backend) in walk::backends(ingress) {
        let (Some(service), Some(resource)) = (&backend.service, &backend.resource) else { continue };
        let both = [&*service.name, &*resource.kind, &*resource.name];
        let template = "the backend is both Service `{}` and {} `{}`: remove one of them";
        found.invalid(at, &both.join(" "), template).args(both);
    }
}

fn backend_missing(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    const TEMPLATE: &str = "the backend has neither `service` nor `resource`: set one of them";
    let is_missing = |backend: &Backend<'_>| backend.service.is_none() && backend.resource.is_none();
    if ingress.spec.default_backend.as_ref().is_some_and(is_missing) {
        found.invalid(At::field("spec.defaultBackend"), "", TEMPLATE);
    }
    for (at, path, rule) in walk::http_paths(ingress).filter(|(_, path, _)| is_missing(&path.backend)) {
        found.invalid(at.child("backend"), &walk::written_route(rule, path), TEMPLATE);
    }
}

fn service_name_missing(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    for (at, service) in services(ingress).filter(|(_, service)| service.name.is_empty()) {
        let port = match (service.port.name(), service.port.number()) {
            (Some(name), _) => name.to_owned(),
            (None, number) => number.unwrap_or_default().to_string(),
        };
        found.add(Cause::Required, at.child("service.name"), &port, "the name of the Service of port {} is required");
    }
}

fn port_missing(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    for (at, service) in services(ingress) {
        if service.port.name().is_none() && service.port.number().is_none() {
            let template = "a port of Service `{}` is required, by name or by number";
            found.add(Cause::Required, at, &service.name, template);
        }
    }
}

fn port_named_twice(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    for (at, service) in services(ingress) {
        let (Some(name), Some(number)) = (service.port.name(), service.port.number()) else { continue };
        let (identity, number) = (format!("{} {name} {number}", service.name), number.to_string());
        let template = "the port of Service `{}` has both name `{}` and number {}: remove one of them";
        found.invalid(at, &identity, template).args([&service.name, name, &number]);
    }
}

fn resource_incomplete(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    for (at, resource) in resources(ingress) {
        let (kind, name) = (&*resource.kind, &*resource.name);
        let (kind_at, name_at) = (at.child("resource.kind"), at.child("resource.name"));
        // The value is the other text, which distinguishes this reference from other incomplete ones.
        if kind.is_empty() {
            found.add(Cause::Required, kind_at, name, "the kind of the resource is required");
        }
        if name.is_empty() {
            found.add(Cause::Required, name_at, kind, "the name of the resource is required");
        }
        found.each([(kind_at, kind), (name_at, name)], must::path_segment);
    }
}
