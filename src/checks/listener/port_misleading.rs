//! `listener/port-misleading`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/port-misleading",
    page: include_str!("port_misleading.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::WARN)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener) in walk::listener::listeners(listeners) {
        let sentence = match (&*listener.protocol, listener.port) {
            ("HTTP", Some(443)) => "clients speak TLS on port 443, and this listener is HTTP; use HTTPS or port 80",
            ("HTTPS", Some(80)) => {
                "clients speak clear text on port 80, and this listener is HTTPS; use HTTP or port 443"
            }
            _ => continue,
        };
        found.invalid(at.then("protocol"), &listener.name, sentence);
    }
}
