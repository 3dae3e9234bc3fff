//! `listener/open-to-all`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::listener::FromNamespaces;
use crate::kinds::{Listeners, walk};
use crate::labels;

pub static CHECK: Check = Check {
    id: "listener/open-to-all",
    page: include_str!("open_to_all.md"),
    run: Run::Listeners(check),
    ..Check::tenancy(Actions::RESTRICTED)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener, namespaces) in walk::listener::namespaces(listeners) {
        if listener.has_hosts() && listener.hostname().is_empty() && is_all(namespaces) {
            let sentence = "any namespace may claim any host here: set a hostname, or select namespaces";
            found.forbidden(at.then("from"), &listener.name, sentence);
        }
    }
}

/// Whether every namespace is let in; an empty selector selects all of them.
fn is_all(namespaces: &FromNamespaces<'_>) -> bool {
    match namespaces.from.as_deref() {
        Some("All") => true,
        Some("Selector") => {
            namespaces.selector.as_ref().is_some_and(|selector| labels::keys(selector).next().is_none())
        }
        _ => false,
    }
}
