//! `listener/certificate-ref-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};
use crate::references::Reference;

pub static CHECK: Check = Check {
    id: "listener/certificate-ref-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("certificate_ref_malformed.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, certificate) in walk::listener::certificate_refs(listeners) {
        for fault in Reference::from(certificate).faults() {
            found.add(fault.cause, at.then(fault.field), fault.value, fault.sentence);
        }
    }
}
