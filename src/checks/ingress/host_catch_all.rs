//! `ingress/host-catch-all`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};

pub static CHECK: Check = Check {
    id: "ingress/host-catch-all",
    page: include_str!("host_catch_all.md"),
    run: Run::Ingress(check),
    ..Check::policy(Actions::RESTRICTED)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, rule) in walk::rules(ingress) {
        if rule.host.as_deref().unwrap_or_default().is_empty() {
            found
                .required(at.then("host"), "a host must be named: a rule without one takes the requests of every host");
        }
    }
}
