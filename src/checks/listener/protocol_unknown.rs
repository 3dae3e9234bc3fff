//! `listener/protocol-unknown`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::extension;
use crate::kinds::{Listeners, walk};
use crate::names;

/// The protocols that the API knows.
const KNOWN: [&str; 5] = ["HTTP", "HTTPS", "TLS", "TCP", "UDP"];

pub static CHECK: Check = Check {
    id: "listener/protocol-unknown",
    page: include_str!("protocol_unknown.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::WARN)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener) in walk::listener::listeners(listeners) {
        let protocol = &*listener.protocol;
        let is_own = protocol.contains('/');
        if is_own || KNOWN.contains(&protocol) || extension::is_protocol(protocol) || !names::is_protocol(protocol) {
            continue;
        }
        let meant = KNOWN.iter().find(|known| known.eq_ignore_ascii_case(protocol));
        match meant {
            Some(known) => {
                found
                    .not_supported(at.then("protocol"), protocol, "`{}` must be `{}`: protocols are in upper case")
                    .shown([protocol, known]);
            }
            None => {
                found.not_supported(at.then("protocol"), protocol, "`{}` is none of HTTP, HTTPS, TLS, TCP, UDP");
            }
        }
    }
}
