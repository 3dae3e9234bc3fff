//! `route/legacy-field`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Route, walk};

pub static CHECK: Check = Check {
    id: "route/legacy-field",
    page: include_str!("legacy_field.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::WARN)
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for field in route.drafted() {
        let template = "`{}` does nothing today: name Gateways in `parentRefs`";
        found.invalid(At::field("spec").then(field), field, template);
    }
    for (at, _) in walk::route::parent_refs(route).filter(|(_, parent)| parent.scope.0) {
        let template = "`{}` does nothing today: `namespace` says where the parent is";
        found.invalid(at.then("scope"), "scope", template);
    }
    for (at, _) in walk::route::rules(route).filter(|(_, rule)| rule.forwards) {
        let template = "`{}` does nothing today: name backends in `backendRefs`";
        found.invalid(at.then("forwardTo"), "forwardTo", template);
    }
}
