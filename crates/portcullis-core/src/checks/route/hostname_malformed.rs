//! `route/hostname-malformed`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Route, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "route/hostname-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("hostname_malformed.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    // A wildcard has a check of its own.
    for (at, host) in
        walk::route::hostnames(route).filter(|(_, host)| !host.contains('*') && !names::is_subdomain(host))
    {
        found.malformed(at, host, "`{}` needs a letter or digit at both ends and at each dot; 1 to 253 bytes");
    }
}
