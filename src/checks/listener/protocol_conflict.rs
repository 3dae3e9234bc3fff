//! `listener/protocol-conflict`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Listener, Listeners, walk};
use crate::routing::sharing::can_share_port;

pub static CHECK: Check = Check {
    id: "listener/protocol-conflict",
    page: include_str!("protocol_conflict.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::ACROSS)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener, earlier) in walk::listener::with_earlier(listeners).filter(|(_, own, _)| own.port.is_some()) {
        let mut others = earlier.iter().filter(|other| other.port == listener.port);
        if let Some(other) = others.clone().find(|other| !can_share_port(&other.protocol, &listener.protocol)) {
            let value = format!("{} {} {}", listener.name, listener.protocol, other.protocol);
            let sentence = "{} cannot share its port with {} of listener `{}`: at most one of them is served";
            let shown = [&*listener.protocol, &*other.protocol, &*other.name];
            found.invalid(at.then("protocol"), &value, sentence).shown(shown);
        } else if let Some(other) = others.find(|other| ends_tls_otherwise(listener, other)) {
            let sentence = "`{}` treats TLS on this port otherwise; few controllers serve both";
            found.invalid(at.then("tls.mode"), &listener.name, sentence).shown([&*other.name]).only_warns();
        }
    }
}

/// Whether both are of protocol TLS and only one of them ends TLS.
fn ends_tls_otherwise(one: &Listener<'_>, other: &Listener<'_>) -> bool {
    let passes = |listener: &Listener<'_>| listener.tls.as_ref().map(|tls| tls.mode() == "Passthrough");
    let is_tls = |listener: &Listener<'_>| &*listener.protocol == "TLS";
    is_tls(one) && is_tls(other) && passes(one).zip(passes(other)).is_some_and(|(one, other)| one != other)
}
