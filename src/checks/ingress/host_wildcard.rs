//! `ingress/host-wildcard`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};
use crate::matching::Host;

pub static CHECK: Check = Check {
    id: "ingress/host-wildcard",
    page: include_str!("host_wildcard.md"),
    run: Run::Ingress(check),
    ..Check::policy(Actions::RESTRICTED)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, rule) in walk::rules(ingress) {
        let written = rule.host.as_deref().unwrap_or_default();
        let host = Host::parse(written);
        if let Host::Wildcard(_) = host {
            let sentence = "`{}` must be a precise host: a wildcard takes names that nobody listed";
            found.forbidden(at.then("host"), &host.to_string(), sentence).shown([written]);
        }
    }
}
