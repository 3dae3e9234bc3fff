//! `listener/hostname-label-too-long`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};

/// The most bytes of a label (RFC 1035, section 2.3.4).
const MOST: usize = 63;

pub static CHECK: Check = Check {
    id: "listener/hostname-label-too-long",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("hostname_label_too_long.md"),
    run: Run::Listeners(check),
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, host) in walk::listener::hostnames(listeners).filter(|(_, host)| host.len() > MOST) {
        if let Some(label) = host.split('.').find(|label| label.len() > MOST) {
            found.too_long(at, host, "the label `{}` must have at most 63 bytes").shown([label]);
        }
    }
}
