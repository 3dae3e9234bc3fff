//! `ingress/host-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress/host-malformed",
    page: include_str!("host_malformed.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, host) in walk::rule_hosts(ingress) {
        // A wildcard and an IP address each have a check of their own.
        if names::is_subdomain(host) || host.contains('*') || names::is_ip(host) {
            continue;
        }
        found.malformed(at, host, "`{}` needs a letter or digit at both ends and at each dot; at most 253 bytes");
    }
}
