//! `listener/hostname-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "listener/hostname-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("hostname_malformed.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, host) in walk::listener::hostnames(listeners) {
        // An IPv4 address passes the schema and has a check of its own.
        if names::is_subdomain(host) || names::is_wildcard(host) {
            continue;
        }
        match host {
            "" | "*" => found.invalid(at, host, "`{}` is no hostname: leave it out to answer every host"),
            host => found.malformed(at, host, "`{}` must be a DNS name, perhaps with `*.` in front; at most 253 bytes"),
        };
    }
}
