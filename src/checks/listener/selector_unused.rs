//! `listener/selector-unused`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/selector-unused",
    page: include_str!("selector_unused.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::WARN)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener, namespaces) in walk::listener::namespaces(listeners) {
        if let Some(from) = namespaces.beside_unused_selector("Same") {
            let sentence = "with `from: {}` the selector means nothing: write `from: Selector`";
            found.forbidden(at.then("selector"), &listener.name, sentence).shown([from]);
        }
    }
}
