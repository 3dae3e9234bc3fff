//! `listener/name-duplicate`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/name-duplicate",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("name_duplicate.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener, earlier) in walk::listener::with_earlier(listeners) {
        if !listener.name.is_empty() && earlier.iter().any(|other| other.name == listener.name) {
            found.duplicate(at.then("name"), &listener.name, "another listener is named `{}` too");
        }
    }
}
