//! `listener/https-passthrough`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/https-passthrough",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("https_passthrough.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener, tls) in walk::listener::tls(listeners) {
        if &*listener.protocol == "HTTPS" && tls.mode() == "Passthrough" {
            found.invalid(
                at.then("mode"),
                &listener.name,
                "HTTPS must end TLS to see requests: use protocol TLS to pass it on",
            );
        }
    }
}
