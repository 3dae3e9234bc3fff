//! The rules for the hostnames of listeners.

use super::super::{Rule, RuleFn, validators as must};
use super::protocol::is_indistinct;
use crate::bundle::Enforced;
use crate::finding::{Actions, Findings};
use crate::kinds::walk::listener as walk;
use crate::kinds::{Listener, Listeners};
use crate::matching::Host;
use crate::matching::host::Depth;

/// The rules for hostnames.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "listener/hostname-malformed",
            include_str!("../../checks/listener/hostname_malformed.md"),
            RuleFn::Listeners(malformed),
        )
    },
    Rule::invalidates(
        "listener/hostname-is-ip",
        include_str!("../../checks/listener/hostname_is_ip.md"),
        RuleFn::Listeners(|listeners, found| found.each(walk::hostnames(listeners), must::not_be_an_ip)),
    ),
    Rule::invalidates(
        "listener/hostname-label-too-long",
        include_str!("../../checks/listener/hostname_label_too_long.md"),
        RuleFn::Listeners(|listeners, found| found.each(walk::hostnames(listeners), must::have_short_labels)),
    ),
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "listener/hostname-forbidden",
            include_str!("../../checks/listener/hostname_forbidden.md"),
            RuleFn::Listeners(forbidden),
        )
    },
    Rule::reported(
        "listener/hostname-overlap",
        include_str!("../../checks/listener/hostname_overlap.md"),
        Actions::WARN,
        RuleFn::Listeners(overlap),
    ),
];

fn malformed(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    let is_every = |host: &str| matches!(host, "" | "*");
    for (at, host) in walk::hostnames(listeners).filter(|(_, host)| is_every(host)) {
        found.invalid(at, host, "`{}` is not a valid hostname: remove the field to match every host");
    }
    // The schema accepts an IPv4 address; another rule reports it.
    found.each(walk::hostnames(listeners).filter(|(_, host)| !is_every(host)), must::exact_or_wildcard_hostname);
}

fn forbidden(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, listener) in walk::listeners(listeners) {
        if !listener.has_hosts() && !listener.hostname().is_empty() {
            let template = "protocol {} does not support hostnames: remove `{}`";
            let finding = found.forbidden(at.child("hostname"), listener.hostname(), template);
            finding.args([&*listener.protocol, listener.hostname()]);
        }
    }
}

fn overlap(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, listener, earlier) in walk::with_earlier(listeners).filter(|(_, listener, _)| listener.is_tls()) {
        let host = Host::parse(listener.hostname());
        let overlaps = |other: &&Listener<'_>| {
            let is_same = (&other.protocol, &other.hostname) == (&listener.protocol, &listener.hostname);
            other.is_tls()
                && other.port == listener.port
                && !is_same
                && !is_indistinct(listener, other)
                && Host::parse(other.hostname()).overlaps(&host, Depth::AnyLabels)
        };
        let Some(other) = earlier.iter().find(overlaps) else { continue };
        let other_host = Host::parse(other.hostname()).to_string();
        let template = "{} overlaps {} of listener `{}`, so clients may reuse one connection: use disjoint hostnames, or answer 421";
        let finding = found.invalid(at.child("hostname"), &format!("{host} {other_host}"), template);
        finding.args([&*host.to_string(), &other_host, &other.name]);
    }
}
