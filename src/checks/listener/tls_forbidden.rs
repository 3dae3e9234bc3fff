//! `listener/tls-forbidden`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/tls-forbidden",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("tls_forbidden.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener, _) in walk::listener::tls(listeners) {
        if matches!(&*listener.protocol, "HTTP" | "TCP" | "UDP") {
            let sentence = "{} has no TLS: use HTTPS or TLS, or leave `tls` out";
            found.forbidden(at, &listener.name, sentence).shown([&*listener.protocol]);
        }
    }
}
