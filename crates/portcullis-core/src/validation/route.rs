//! The rules that routes of all kinds of the Gateway API have in common.

use super::{Rule, Test, validators as must};
use crate::bundle::Enforced;
use crate::finding::Actions;
use crate::kinds::walk::route as walk;

/// The rules of the references of a route: to its parents, its backends and the extensions of its filters.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/group-malformed",
            include_str!("../checks/route/group_malformed.md"),
            Actions::DENY,
            Test::RouteParts(|route, found| {
                let references = route.references().iter();
                found.each(references.filter_map(|own| Some((own.at.child("group"), own.group?))), must::api_group)
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/kind-malformed",
            include_str!("../checks/route/kind_malformed.md"),
            Actions::DENY,
            Test::RouteParts(|route, found| {
                let references = route.references().iter();
                found.each(references.filter_map(|own| Some((own.at.child("kind"), own.kind?))), must::kind)
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/namespace-malformed",
            include_str!("../checks/route/namespace_malformed.md"),
            Actions::DENY,
            Test::RouteParts(|route, found| {
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
            include_str!("../checks/route/name_malformed.md"),
            Actions::DENY,
            Test::RouteParts(|route, found| {
                let references = route.references().iter();
                found.each(references.map(|own| (own.at.child("name"), own.name)), must::reference_name)
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/section-malformed",
            include_str!("../checks/route/section_malformed.md"),
            Actions::DENY,
            Test::RouteParts(|route, found| {
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
            include_str!("../checks/route/port_out_of_range.md"),
            Actions::DENY,
            Test::RouteParts(|route, found| {
                let references = route.references().iter();
                found.each(references.filter_map(|own| Some((own.at.child("port"), own.port?))), must::port_number)
            }),
        )
    },
];
