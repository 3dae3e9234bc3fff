//! `listener/selector-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};
use crate::labels;

pub static CHECK: Check = Check {
    id: "listener/selector-malformed",
    page: include_str!("selector_malformed.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, _, namespaces) in walk::listener::namespaces(listeners) {
        let Some(selector) = &namespaces.selector else { continue };
        for fault in labels::faults(at, selector) {
            found.invalid(fault.at, fault.value, fault.sentence);
        }
    }
}
