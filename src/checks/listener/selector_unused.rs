//! `listener/selector-unused`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/selector-unused",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::WARN,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("selector_unused.md"),
    run: Run::Listeners(check),
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener, namespaces) in walk::listener::namespaces(listeners) {
        if let Some(from) = namespaces.beside_unused_selector("Same") {
            let sentence = "with `from: {}` the selector means nothing: write `from: Selector`";
            found.forbidden(at.then("selector"), &listener.name, sentence).shown([from]);
        }
    }
}
