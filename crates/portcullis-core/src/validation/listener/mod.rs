//! The rules for the listeners of a Gateway or a ListenerSet themselves.

pub mod allowed_routes;
pub mod hostname;
pub mod protocol;
pub mod tls;

use std::iter;

use super::{Rule, RuleFn, rule, validators as must};
use crate::bundle::Enforced;
use crate::field::{At, Segment};
use crate::finding::{Actions, Cause, Finding, Findings};
use crate::kinds::listener::MAX_LISTENERS;
use crate::kinds::walk::listener as walk;
use crate::kinds::{Listener, Listeners};

/// The rules for the list of listeners and for their names and ports.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "listener/listeners-missing",
            include_str!("../../checks/listener/listeners_missing.md"),
            RuleFn::Listeners(|listeners, found| {
                if listeners.all.is_empty() {
                    found.required(At::field("spec.listeners"), "at least one listener is required");
                }
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "listener/too-many",
            include_str!("../../checks/listener/too_many.md"),
            RuleFn::Listeners(|listeners, found| {
                let count = iter::once((At::field("spec.listeners"), listeners.all.len()));
                found.each(count, must::have_entries(MAX_LISTENERS))
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "listener/limit-exceeded",
            include_str!("../../checks/listener/limit_exceeded.md"),
            RuleFn::Listeners(limit_exceeded),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "listener/field-missing",
            include_str!("../../checks/listener/field_missing.md"),
            RuleFn::Listeners(field_missing),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "listener/name-malformed",
            include_str!("../../checks/listener/name_malformed.md"),
            RuleFn::Listeners(|listeners, found| {
                let names = walk::listeners(listeners).map(|(at, listener)| (at.child("name"), &*listener.name));
                found.each(names, must::dns_subdomain)
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "listener/name-duplicate",
            include_str!("../../checks/listener/name_duplicate.md"),
            RuleFn::Listeners(name_duplicate),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "listener/port-out-of-range",
            include_str!("../../checks/listener/port_out_of_range.md"),
            RuleFn::Listeners(|listeners, found| {
                let ports = walk::listeners(listeners);
                found.each(
                    ports.filter_map(|(at, listener)| Some((at.child("port"), listener.port?))),
                    must::port_number,
                )
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "listener/duplicate",
            include_str!("../../checks/listener/duplicate.md"),
            Actions::DENY,
            RuleFn::Listeners(duplicate),
        )
    },
];

/// The errors for which a controller rejects a listener, or the object if they concern all listeners or their names.
pub fn errors(listeners: &Listeners<'_, '_>) -> impl Iterator<Item = ListenerError> {
    let tables = [RULES, protocol::RULES, hostname::RULES, tls::RULES, allowed_routes::RULES];
    tables.into_iter().flat_map(|table| {
        let errors = rule::errors(table, |test, found| {
            // Tests of other kinds are not in the table.
            if let RuleFn::Listeners(test) = test {
                test(listeners, found)
            }
        });
        errors.map(|finding| ListenerError { listener: listener_of(&finding), finding })
    })
}

/// An error of a listener, or of the list of listeners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenerError {
    /// The index of the listener; `None` if the error concerns the object as a whole.
    pub listener: Option<usize>,
    /// The error.
    pub finding: Finding,
}

/// The index of the listener that a finding is about. Listeners of the same name cannot be told apart in a status, so
/// that a duplicate name concerns the object.
fn listener_of(finding: &Finding) -> Option<usize> {
    match finding.at.segments() {
        [_, _, Segment::Index(index), ..] if finding.check != "listener/name-duplicate" => Some(*index),
        _ => None,
    }
}

/// The maximum number of certificates of a listener.
const CERTIFICATES: usize = 64;
/// The maximum number of TLS options of a listener.
const OPTIONS: usize = 16;
/// The maximum number of characters in the value of an option.
const OPTION: usize = 4096;
/// The maximum number of route kinds of a listener.
const KINDS: usize = 8;

fn limit_exceeded(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, _, tls) in walk::tls(listeners) {
        let certificates = tls.certificate_refs.len();
        found.each(iter::once((at.child("certificateRefs"), certificates)), must::have_entries(CERTIFICATES));
        let options = at.child("options");
        found.each(iter::once((options, tls.options.iter().count())), must::have_entries(OPTIONS));
        let values = tls.options.iter().map(|(key, value)| (options.entry(key), value));
        found.each(values, must::have_characters(OPTION));
    }
    let kinds = walk::listeners(listeners).filter_map(|(at, listener)| {
        Some((at.child("allowedRoutes.kinds"), listener.allowed_routes.as_ref()?.kinds.len()))
    });
    found.each(kinds, must::have_entries(KINDS));
}

fn field_missing(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, listener) in walk::listeners(listeners) {
        if listener.name.is_empty() {
            found.required(at.child("name"), "the name of the listener is required; routes refer to it");
        }
        if listener.port.is_none() {
            found.add(Cause::Required, at.child("port"), &listener.name, "the port of the listener is required");
        }
        if listener.protocol.is_empty() {
            let template = "the protocol of the listener is required, such as HTTP or HTTPS";
            found.add(Cause::Required, at.child("protocol"), &listener.name, template);
        }
    }
}

fn name_duplicate(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, listener, earlier) in walk::with_earlier(listeners) {
        if !listener.name.is_empty() && earlier.iter().any(|other| other.name == listener.name) {
            let template = "`{}` is already the name of another listener; rename one of them";
            found.duplicate(at.child("name"), &listener.name, template);
        }
    }
}

fn duplicate(listeners: &Listeners<'_, '_>, found: &mut Findings<'_>) {
    for (at, listener, earlier) in walk::with_earlier(listeners) {
        let Some(port) = listener.port else { continue };
        let is_same = |other: &&Listener<'_>| {
            (other.port, &other.protocol, &other.hostname) == (listener.port, &listener.protocol, &listener.hostname)
        };
        let Some(other) = earlier.iter().find(is_same) else { continue };
        let value = format!("{} {port} {}", listener.protocol, listener.hostname());
        let template = "the port, protocol and hostname are already used by listener `{}`; change one of them";
        found.duplicate(at, &value, template).args([&*other.name]);
    }
}
