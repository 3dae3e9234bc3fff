//! `listener/https-passthrough`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/https-passthrough",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[],
    options: &[],
    page: include_str!("https_passthrough.md"),
    run: Run::Listeners(check),
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
