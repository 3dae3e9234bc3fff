//! `listener/hostname-is-ip`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "listener/hostname-is-ip",
    page: include_str!("hostname_is_ip.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, host) in walk::listener::hostnames(listeners) {
        if names::is_ip(host) {
            found.invalid(at, host, "`{}` is an IP address; a hostname must be a DNS name");
        }
    }
}
