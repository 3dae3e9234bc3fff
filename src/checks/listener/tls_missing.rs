//! `listener/tls-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::{Cause, Findings};
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/tls-missing",
    page: include_str!("tls_missing.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::WARN)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener) in walk::listener::listeners(listeners) {
        if &*listener.protocol == "HTTPS" && listener.tls.is_none() {
            let sentence = "HTTPS without `tls` has no certificate, unless the controller brings one";
            found.add(Cause::Required, at.then("tls"), &listener.name, sentence);
        }
    }
}
