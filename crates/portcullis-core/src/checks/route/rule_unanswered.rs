//! `route/rule-unanswered`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::route::Rule;
use crate::kinds::{Route, walk};

pub static CHECK: Check = Check {
    id: "route/rule-unanswered",
    page: include_str!("rule_unanswered.md"),
    run: Run::Route(check),
    ..Check::reference(Actions::WARN)
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    // Connections without a backend are refused for that; and a mesh sends requests for a Service to that Service.
    let parents = route.parent_refs();
    let is_of_mesh =
        !parents.is_empty() && parents.iter().all(|parent| (parent.group(), parent.kind()) == ("", "Service"));
    if route.is_l4() || is_of_mesh {
        return;
    }
    if matches!(route, Route::Http(route) if route.spec.rules.is_none()) {
        let message = "an HTTPRoute without rules answers every request with an error; add a rule that names a Service";
        found.required(At::field("spec.rules"), message);
    }
    let message = "no backend and no redirect: every request of this rule gets an error; name a Service";
    for (at, _) in walk::route::rules(route).filter(|(_, rule)| !is_answered(rule)) {
        found.required(at.then("backendRefs"), message);
    }
}

/// Whether something in the rule may answer: a backend, a redirect, or a filter of the implementation. The words of a draft are another
/// fault.
fn is_answered(rule: &Rule<'_, '_>) -> bool {
    let answers = |kind: &str| matches!(kind, "RequestRedirect" | "ExtensionRef");
    !rule.backend_refs.is_empty() || rule.forwards || rule.filters.iter().any(|filter| answers(&filter.kind))
}
