//! `ingress/host-is-ip`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress/host-is-ip",
    page: include_str!("host_is_ip.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, host) in walk::rule_hosts(ingress) {
        if names::is_ip(host) {
            found.invalid(at, host, "`{}` is an IP address; a host must be a DNS name");
        }
    }
}
