//! `route/rule-name-malformed`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Route, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "route/rule-name-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("rule_name_malformed.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, rule) in walk::route::rules(route) {
        let Some(name) = rule.name.filter(|name| !names::is_subdomain(name)) else { continue };
        found.malformed(at.then("name"), name, "`{}` is no name of a rule: a DNS name in lower case of 1 to 253 bytes");
    }
}
