//! `route/hostname-is-ip`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Route, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "route/hostname-is-ip",
    page: include_str!("hostname_is_ip.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, host) in walk::route::hostnames(route) {
        let name = host.strip_prefix("*.").unwrap_or(host);
        // One with colons is no name at all, which is another fault.
        if names::is_ip(name) && names::is_subdomain(name) {
            found.invalid(at, host, "`{}` is an IP address; a hostname must be a DNS name");
        }
    }
}
