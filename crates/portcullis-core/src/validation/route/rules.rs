//! The rules for the `rules` of a route of any kind.

use std::iter;

use hashbrown::HashSet;

use crate::bundle::Enforced;
use crate::config::Theme;
use crate::field::At;
use crate::finding::{Actions, Findings};
use crate::kinds::reference::{GATEWAY_GROUP, ParentRef};
use crate::kinds::{Route, route, walk};
use crate::validation::{Rule, RuleFn, validators as must};

/// The rules for `spec.rules`.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/matches-too-many",
            include_str!("../../checks/route/matches_too_many.md"),
            Actions::DENY,
            RuleFn::Route(matches_too_many),
        )
    },
    Rule {
        enforced: Some(Enforced::experimental(1, 4)),
        ..Rule::reported(
            "route/rule-name-duplicate",
            include_str!("../../checks/route/rule_name_duplicate.md"),
            Actions::DENY,
            RuleFn::Route(name_duplicate),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/rule-name-malformed",
            include_str!("../../checks/route/rule_name_malformed.md"),
            Actions::DENY,
            RuleFn::Route(|route, found| {
                let rules = walk::route::rules(route);
                found.each(rules.filter_map(|(at, rule)| Some((at.child("name"), &**rule.name?))), must::object_name)
            }),
        )
    },
    Rule {
        theme: Theme::Reference,
        ..Rule::reported(
            "route/rule-unanswered",
            include_str!("../../checks/route/rule_unanswered.md"),
            Actions::WARN,
            RuleFn::Route(unanswered),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/rules-too-many",
            include_str!("../../checks/route/rules_too_many.md"),
            Actions::DENY,
            RuleFn::Route(too_many),
        )
    },
];

/// The maximum number of matches in a rule.
const MATCHES_OF_RULE: usize = 64;
/// The maximum number of matches in a route.
const MATCHES: usize = 128;

fn matches_too_many(route: &Route<'_, '_>, found: &mut Findings<'_>) {
    let mut all = 0;
    for (at, rule) in walk::route::rules(route) {
        let count = rule.match_count();
        found.each(iter::once((at.child("matches"), count)), must::have_entries(MATCHES_OF_RULE));
        // The API server adds a match for all requests to a rule of an HTTPRoute without matches.
        all += if matches!(route, Route::Http(_)) { count.max(1) } else { count };
    }
    if all > MATCHES {
        let template = "all rules together have {} matches; at most 128 are allowed";
        found.invalid(At::field("spec.rules"), &all.to_string(), template);
    }
}

fn name_duplicate(route: &Route<'_, '_>, found: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    for (at, rule) in walk::route::rules(route) {
        let Some(name) = rule.name.filter(|name| !name.is_empty()) else { continue };
        if !seen.insert(&**name) {
            found.duplicate(at.child("name"), name, "`{}` is already the name of another rule; rename one of them");
        }
    }
}

fn unanswered(route: &Route<'_, '_>, found: &mut Findings<'_>) {
    // Another rule reports a layer 4 route without a backend, and a mesh sends requests to where they were meant for:
    // to the Service that is the parent, or out of the cluster.
    let is_served =
        |parent: &ParentRef<'_>| parent.group() == GATEWAY_GROUP && matches!(parent.kind(), "Gateway" | "ListenerSet");
    let parents = route.parent_refs();
    let is_of_mesh = !parents.is_empty() && !parents.iter().any(is_served);
    if route.is_l4() || is_of_mesh {
        return;
    }
    if matches!(route, Route::Http(route) if route.spec.rules.is_none()) {
        let template = "a rule with a backend is required: without rules, every request gets an error";
        found.required(At::field("spec.rules"), template);
    }
    let template = "a backend or a redirect is required: without one, every request of this rule gets an error";
    for (at, _) in walk::route::rules(route).filter(|(_, rule)| !is_answered(rule)) {
        found.required(at.child("backendRefs"), template);
    }
}

/// Whether the rule may answer requests: by a backend, a redirect, or a filter of the implementation. A field from an
/// early draft counts too, because another rule reports it.
fn is_answered(rule: &route::RouteRule<'_, '_>) -> bool {
    let answers = |kind: &str| matches!(kind, "RequestRedirect" | "ExtensionRef");
    !rule.backend_refs.is_empty() || rule.forwards || rule.filters.iter().any(|filter| answers(&filter.kind))
}

/// The maximum number of rules in a route.
const RULES_OF_ROUTE: usize = 16;

fn too_many(route: &Route<'_, '_>, found: &mut Findings<'_>) {
    let (at, count) = (At::field("spec.rules"), route.rule_count());
    match route {
        Route::L4(kind, own) if !own.is_v1alpha2() => {
            if count > 1 {
                let count = count.to_string();
                let template = "a {} may have only one rule; this one has {}";
                found.invalid(at, &count, template).args([kind.api().kind, &count]);
            }
        }
        _ => found.each(iter::once((at, count)), must::have_entries(RULES_OF_ROUTE)),
    }
}
