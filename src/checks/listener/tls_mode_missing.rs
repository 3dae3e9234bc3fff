//! `listener/tls-mode-missing`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::finding::{Cause, Findings};
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/tls-mode-missing",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::since(1, 5)),
    needs: &[],
    options: &[],
    page: include_str!("tls_mode_missing.md"),
    run: Run::Listeners(check),
};

fn check(listeners: &Listeners<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let is_admitted = cx.cluster.schema(cx.this.kind).bundle.release < (1, 5);
    for (at, listener) in walk::listener::listeners(listeners) {
        if &*listener.protocol == "TLS" && listener.tls.is_none() {
            let sentence = "TLS needs `tls` with a mode: Terminate or Passthrough";
            let finding = found.add(Cause::Required, at.then("tls"), &listener.name, sentence);
            if is_admitted {
                finding.only_warns();
            }
        }
    }
}
