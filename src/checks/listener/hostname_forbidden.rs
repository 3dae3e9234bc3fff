//! `listener/hostname-forbidden`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/hostname-forbidden",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("hostname_forbidden.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener) in walk::listener::listeners(listeners) {
        if !listener.has_hosts() && !listener.hostname().is_empty() {
            found
                .forbidden(at.then("hostname"), listener.hostname(), "{} knows no hostnames: leave `{}` out")
                .shown([&*listener.protocol, listener.hostname()]);
        }
    }
}
