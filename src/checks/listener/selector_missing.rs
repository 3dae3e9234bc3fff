//! `listener/selector-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::{Cause, Findings};
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/selector-missing",
    page: include_str!("selector_missing.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener, namespaces) in walk::listener::namespaces(listeners) {
        if namespaces.lacks_selector() {
            let sentence = "`from: Selector` needs a selector: no namespace is meant without one";
            found.add(Cause::Required, at.then("selector"), &listener.name, sentence);
        }
    }
}
