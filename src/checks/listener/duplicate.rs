//! `listener/duplicate`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Listener, Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/duplicate",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("duplicate.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener, earlier) in walk::listener::with_earlier(listeners) {
        let Some(port) = listener.port else { continue };
        let is_same = |other: &&Listener<'_>| {
            (other.port, &other.protocol, &other.hostname) == (listener.port, &listener.protocol, &listener.hostname)
        };
        let Some(other) = earlier.iter().find(is_same) else { continue };
        let value = format!("{} {port} {}", listener.protocol, listener.hostname());
        found.duplicate(at, &value, "listener `{}` has this port, protocol and hostname already").shown([&*other.name]);
    }
}
