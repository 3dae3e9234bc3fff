//! `listener/hostname-label-too-long`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};

/// The most bytes of a label (RFC 1035, section 2.3.4).
const MOST: usize = 63;

pub static CHECK: Check = Check {
    id: "listener/hostname-label-too-long",
    page: include_str!("hostname_label_too_long.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, host) in walk::listener::hostnames(listeners).filter(|(_, host)| host.len() > MOST) {
        if let Some(label) = host.split('.').find(|label| label.len() > MOST) {
            found.too_long(at, host, "the label `{}` must have at most 63 bytes").shown([label]);
        }
    }
}
