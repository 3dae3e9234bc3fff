//! `ingress/wildcard-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress/wildcard-malformed",
    page: include_str!("wildcard_malformed.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, host) in walk::rule_hosts(ingress) {
        if host.contains('*') && !names::is_wildcard(host) {
            found.invalid(at, host, "`{}` must be `*.` and a DNS name in lower case, such as `*.example.com`");
        }
    }
}
