//! `route/hostname-label-too-long`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Route, walk};
use crate::names;

/// The most bytes of a label (RFC 1035, section 2.3.4).
const MOST: usize = 63;

pub static CHECK: Check = Check {
    id: "route/hostname-label-too-long",
    page: include_str!("hostname_label_too_long.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, host) in walk::route::hostnames(route).filter(|(_, host)| host.len() > MOST) {
        // What is no name at all is another fault.
        if !names::is_subdomain(host) && !names::is_wildcard(host) {
            continue;
        }
        if let Some(label) = host.split('.').find(|label| label.len() > MOST) {
            found.too_long(at, host, "the label `{}` must have at most 63 bytes").args([label]);
        }
    }
}
