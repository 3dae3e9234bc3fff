//! The rules that apply to all route kinds of the Gateway API.

pub mod backend;
pub mod hostname;
pub mod parent;
pub mod rules;

use super::{Rule, RuleFn, validators as must};
use crate::bundle::Enforced;
use crate::field::At;
use crate::finding::{Actions, Findings};
use crate::kinds::reference::{is_spelled_as_resource, kind_of_resource};
use crate::kinds::walk::RouteParts;
use crate::kinds::walk::route as walk;
use crate::kinds::{Route, extension};
use crate::names;

/// The rules for the references of a route: to its parents, its backends and the extensions of its filters.
pub const RULES: &[Rule] = &[
    Rule::reported(
        "route/annotation-of-gateway",
        include_str!("../../checks/route/annotation_of_gateway.md"),
        Actions::WARN,
        RuleFn::Route(annotation_of_gateway),
    ),
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/group-malformed",
            include_str!("../../checks/route/group_malformed.md"),
            Actions::DENY,
            RuleFn::RouteParts(|route, found| {
                let references = route.references().iter();
                found.each(references.filter_map(|own| Some((own.at.child("group"), own.group?))), must::api_group)
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/kind-malformed",
            include_str!("../../checks/route/kind_malformed.md"),
            Actions::DENY,
            RuleFn::RouteParts(|route, found| {
                let references = route.references().iter();
                found.each(references.filter_map(|own| Some((own.at.child("kind"), own.kind?))), must::kind)
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/namespace-malformed",
            include_str!("../../checks/route/namespace_malformed.md"),
            Actions::DENY,
            RuleFn::RouteParts(|route, found| {
                let namespaces = route.references().iter();
                let namespaces = namespaces.filter_map(|own| Some((own.at.child("namespace"), own.namespace?)));
                found.each(namespaces, must::namespace)
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/name-malformed",
            include_str!("../../checks/route/name_malformed.md"),
            Actions::DENY,
            RuleFn::RouteParts(|route, found| {
                let references = route.references().iter();
                found.each(references.map(|own| (own.at.child("name"), own.name)), must::reference_name)
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/section-malformed",
            include_str!("../../checks/route/section_malformed.md"),
            Actions::DENY,
            RuleFn::RouteParts(|route, found| {
                let sections = walk::parent_refs(&route.route())
                    .filter_map(|(at, parent)| Some((at.child("sectionName"), parent.section_name.as_deref()?)));
                found.each(sections, must::section_name)
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/port-out-of-range",
            include_str!("../../checks/route/port_out_of_range.md"),
            Actions::DENY,
            RuleFn::RouteParts(|route, found| {
                let references = route.references().iter();
                found.each(references.filter_map(|own| Some((own.at.child("port"), own.port?))), must::port_number)
            }),
        )
    },
    Rule::reported(
        "route/kind-is-resource",
        include_str!("../../checks/route/kind_is_resource.md"),
        Actions::WARN,
        RuleFn::RouteParts(kind_is_resource),
    ),
];

fn kind_is_resource(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    for reference in route.references() {
        let is_own = |kind: &str| extension::is_lower_case(reference.group.unwrap_or_default(), kind);
        let is_resource = |kind: &&str| is_spelled_as_resource(kind) && names::is_kind(kind) && !is_own(kind);
        let Some(kind) = reference.kind.filter(is_resource) else { continue };
        let at = reference.at.child("kind");
        match kind_of_resource(kind) {
            Some(own) => found.invalid(at, kind, "`{}` is the name of a resource: use the kind `{}`").args([kind, own]),
            None => {
                let template = "`{}` looks like the name of a resource: a kind starts with an upper-case letter";
                found.invalid(at, kind, template)
            }
        };
    }
}

fn annotation_of_gateway(route: &Route<'_, '_>, found: &mut Findings<'_>) {
    for (key, value) in route.metadata().annotations.iter() {
        let Some("cluster-issuer" | "issuer") = key.strip_prefix("cert-manager.io/") else { continue };
        let template = "cert-manager reads this annotation on Gateways, not on routes: set it on the Gateway";
        found.invalid(At::field("metadata.annotations").key(key), value, template).without_args();
    }
}
