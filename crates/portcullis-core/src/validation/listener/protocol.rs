//! The rules for the protocols of listeners.

use super::super::{Rule, RuleFn, validators as must};
use crate::finding::{Actions, Findings};
use crate::kinds::protocol::{PROTOCOLS, can_share_port, told_apart_by_host};
use crate::kinds::walk::listener as walk;
use crate::kinds::{Listener, Listeners, extension};
use crate::matching::Host;
use crate::names;

/// The rules for protocols.
pub const RULES: &[Rule] = &[
    Rule::invalidates(
        "listener/protocol-malformed",
        include_str!("../../checks/listener/protocol_malformed.md"),
        RuleFn::Listeners(malformed),
    ),
    Rule::reported(
        "listener/protocol-unknown",
        include_str!("../../checks/listener/protocol_unknown.md"),
        Actions::WARN,
        RuleFn::Listeners(unknown),
    ),
    Rule::reported(
        "listener/protocol-conflict",
        include_str!("../../checks/listener/protocol_conflict.md"),
        Actions::ACROSS,
        RuleFn::Listeners(conflict),
    ),
    Rule::reported(
        "listener/port-misleading",
        include_str!("../../checks/listener/port_misleading.md"),
        Actions::WARN,
        RuleFn::Listeners(port_misleading),
    ),
];

fn malformed(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    let template = "`{}` is not a valid protocol: use a word such as HTTPS, or example.com/word";
    let protocols = walk::listeners(listeners).map(|(at, listener)| (at.child("protocol"), &*listener.protocol));
    found.each(protocols.filter(|(_, protocol)| !protocol.is_empty()), must::be(names::is_protocol, template));
}

fn unknown(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, listener) in walk::listeners(listeners) {
        let protocol = &*listener.protocol;
        let is_own = protocol.contains('/');
        if is_own || PROTOCOLS.contains(&protocol) || extension::is_protocol(protocol) || !names::is_protocol(protocol)
        {
            continue;
        }
        let at = at.child("protocol");
        match PROTOCOLS.iter().find(|known| known.eq_ignore_ascii_case(protocol)) {
            Some(known) => {
                let template = "`{}` must be in upper case: use `{}`";
                found.not_supported(at, protocol, template).args([protocol, known]);
            }
            None => {
                found.not_supported(at, protocol, "`{}` is not supported: use HTTP, HTTPS, TLS, TCP or UDP");
            }
        }
    }
}

fn conflict(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, listener, earlier) in walk::with_earlier(listeners).filter(|(_, own, _)| own.port.is_some()) {
        let mut others = earlier.iter().filter(|other| other.port == listener.port);
        if let Some(other) = others.clone().find(|other| !can_share_port(&other.protocol, &listener.protocol)) {
            let value = format!("{} {} {}", listener.name, listener.protocol, other.protocol);
            let template = "{} cannot share a port with {} of listener `{}`; use another port";
            let args = [&*listener.protocol, &*other.protocol, &*other.name];
            found.invalid(at.child("protocol"), &value, template).args(args);
        } else if let Some(other) = others.clone().find(|other| is_indistinct(listener, other)) {
            let value = format!("{} {} {}", listener.name, listener.protocol, other.protocol);
            let template = "{} cannot share a port and hostname with {} of listener `{}`; use another hostname or port";
            let args = [&*listener.protocol, &*other.protocol, &*other.name];
            found.invalid(at.child("protocol"), &value, template).args(args);
        } else if let Some(other) = others.find(|other| differs_in_mode(listener, other)) {
            let template = "the TLS mode differs from listener `{}` on the same port; few controllers support this";
            found.invalid(at.child("tls.mode"), &listener.name, template).args([&*other.name]).only_warns();
        }
    }
}

/// Whether one has protocol HTTPS and the other TLS, for one hostname.
pub(super) fn is_indistinct(one: &Listener<'_>, other: &Listener<'_>) -> bool {
    let host = |listener: &Listener<'_>| Host::parse(listener.hostname()).into_owned();
    told_apart_by_host(&one.protocol) == Some(&*other.protocol) && host(one) == host(other)
}

/// Whether both have the protocol TLS and only one of them terminates TLS.
fn differs_in_mode(one: &Listener<'_>, other: &Listener<'_>) -> bool {
    let passes = |listener: &Listener<'_>| listener.tls.as_ref().map(|tls| tls.mode() == "Passthrough");
    let is_tls = |listener: &Listener<'_>| &*listener.protocol == "TLS";
    is_tls(one) && is_tls(other) && passes(one).zip(passes(other)).is_some_and(|(one, other)| one != other)
}

fn port_misleading(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, listener) in walk::listeners(listeners) {
        let template = match (&*listener.protocol, listener.port) {
            ("HTTP", Some(443)) => "clients expect TLS on port 443, but the protocol is HTTP; use HTTPS or port 80",
            ("HTTPS", Some(80)) => "clients expect HTTP on port 80, but the protocol is HTTPS; use HTTP or port 443",
            _ => continue,
        };
        found.invalid(at.child("protocol"), &listener.name, template);
    }
}
