//! `listener/certificate-unused`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/certificate-unused",
    page: include_str!("certificate_unused.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::WARN)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener, tls) in walk::listener::tls(listeners) {
        if tls.mode() == "Passthrough" && !tls.certificate_refs.is_empty() {
            found.forbidden(
                at.then("certificateRefs"),
                &listener.name,
                "TLS passes through to the backend: these certificates are never used",
            );
        }
    }
}
