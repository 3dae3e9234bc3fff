//! `listener/certificate-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::{Cause, Findings};
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/certificate-missing",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("certificate_missing.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener, tls) in walk::listener::tls(listeners) {
        // Where there is no TLS at all, that is the fault.
        let is_plain = matches!(&*listener.protocol, "HTTP" | "TCP" | "UDP");
        if !is_plain && tls.mode() == "Terminate" && tls.certificate_refs.is_empty() && tls.options.0.is_empty() {
            found.add(
                Cause::Required,
                at.then("certificateRefs"),
                &listener.name,
                "TLS ends here and needs a certificate",
            );
        }
    }
}
