//! `listener/protocol-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "listener/protocol-malformed",
    page: include_str!("protocol_malformed.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener) in walk::listener::listeners(listeners) {
        let protocol = &*listener.protocol;
        if !protocol.is_empty() && !names::is_protocol(protocol) {
            found.invalid(at.then("protocol"), protocol, "`{}` must be one word, or a domain, `/` and a word");
        }
    }
}
