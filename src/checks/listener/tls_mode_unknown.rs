//! `listener/tls-mode-unknown`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/tls-mode-unknown",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("tls_mode_unknown.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, _, tls) in walk::listener::tls(listeners) {
        if !matches!(tls.mode(), "Terminate" | "Passthrough") {
            found.not_supported(at.then("mode"), tls.mode(), "`{}` is neither Terminate nor Passthrough");
        }
    }
}
