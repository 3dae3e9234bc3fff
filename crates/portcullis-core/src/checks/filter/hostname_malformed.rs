//! `filter/hostname-malformed`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::{self, RouteParts};
use crate::names;

pub static CHECK: Check = Check {
    id: "filter/hostname-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("hostname_malformed.md"),
    run: Run::HttpRouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, host) in walk::filter::hostnames(route) {
        if !names::is_subdomain(host) {
            found.malformed(at, host, "`{}` must be a precise DNS name of at most 253 characters");
        }
    }
}
