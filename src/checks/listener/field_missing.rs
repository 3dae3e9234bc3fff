//! `listener/field-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::{Cause, Findings};
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/field-missing",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("field_missing.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener) in walk::listener::listeners(listeners) {
        if listener.name.is_empty() {
            found.required(at.then("name"), "a listener needs a name, which routes refer to");
        }
        if listener.port.is_none() {
            found.add(Cause::Required, at.then("port"), &listener.name, "a listener needs a port");
        }
        if listener.protocol.is_empty() {
            let sentence = "a listener needs a protocol, such as HTTP or HTTPS";
            found.add(Cause::Required, at.then("protocol"), &listener.name, sentence);
        }
    }
}
