//! `route/hostname-wildcard-malformed`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Route, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "route/hostname-wildcard-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("hostname_wildcard_malformed.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, host) in walk::route::hostnames(route).filter(|(_, host)| host.contains('*') && !names::is_wildcard(host))
    {
        match host {
            "*" => found.invalid(
                at,
                host,
                "a bare `*` is no hostname; leave `hostnames` out for every host of the listeners",
            ),
            _ => found.malformed(at, host, "`{}`: a `*` stands once, alone in the first label, before a DNS name"),
        };
    }
}
