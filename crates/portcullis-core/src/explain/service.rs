//! Describes a Service at the end of a chain.

use std::fmt::Display;

use crate::cluster::{Lookup, ServiceFacts};

/// Describes a Service that has this port, or may have it.
pub(super) fn with_port(facts: &ServiceFacts, port: impl Display) -> String {
    let external = if facts.external { " (ExternalName Service)" } else { "" };
    format!("port {port}{external}")
}

/// Describes a Service that does not have the port, with the consequence `becomes`. A Service that lists no ports may
/// have any.
pub(super) fn no_port(facts: &ServiceFacts, port: &str, becomes: &str) -> String {
    match facts.ports.is_empty() {
        true => with_port(facts, port),
        false => format!("has no port {port}, only {}: {becomes}", facts.port_names()),
    }
}

/// Describes a Service that does not exist, with the consequence `becomes`, or of which this is not known.
pub(super) fn missing<T>(found: Lookup<T>, becomes: &str) -> String {
    match found {
        Lookup::Absent => format!("Service not found: {becomes}"),
        Lookup::Found(_) | Lookup::Unknown => "the Service could not be looked up, so it may not exist".to_owned(),
    }
}
