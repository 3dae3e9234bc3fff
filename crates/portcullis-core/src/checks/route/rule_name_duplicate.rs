//! `route/rule-name-duplicate`

use hashbrown::HashSet;

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Route, walk};

pub static CHECK: Check = Check {
    id: "route/rule-name-duplicate",
    enforced: Some(Enforced::experimental(1, 4)),
    page: include_str!("rule_name_duplicate.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    for (at, rule) in walk::route::rules(route) {
        let Some(name) = rule.name.filter(|name| !name.is_empty()) else { continue };
        if !seen.insert(&**name) {
            found.duplicate(at.then("name"), name, "two rules are named `{}`; a name must be of one rule");
        }
    }
}
