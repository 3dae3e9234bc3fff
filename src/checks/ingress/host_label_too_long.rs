//! `ingress/host-label-too-long`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};

pub static CHECK: Check = Check {
    id: "ingress/host-label-too-long",
    page: include_str!("host_label_too_long.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

/// The most bytes of a label (RFC 1035, section 2.3.4).
const MOST: usize = 63;

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, host) in walk::rule_hosts(ingress).filter(|(_, host)| host.len() > MOST) {
        if let Some(label) = host.split('.').find(|label| label.len() > MOST) {
            found.too_long(at, host, "the label `{}` must have at most 63 bytes").shown([label]);
        }
    }
}
