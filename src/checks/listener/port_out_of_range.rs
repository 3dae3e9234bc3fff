//! `listener/port-out-of-range`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "listener/port-out-of-range",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("port_out_of_range.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener) in walk::listener::listeners(listeners) {
        let Some(port) = listener.port.filter(|port| !names::is_port(*port)) else { continue };
        found.invalid(at.then("port"), &port.to_string(), "{} is no port: it must be between 1 and 65535");
    }
}
