//! What is said of a Service at the end of a chain.

use std::fmt::Display;

use crate::cluster::{Lookup, ServiceFacts};

/// It has this port, or may have.
pub(super) fn with_port(facts: &ServiceFacts, port: impl Display) -> String {
    let external = if facts.external { " (ExternalName Service)" } else { "" };
    format!("port {port}{external}")
}

/// It has no such port, and so `becomes` of it. One that lists no ports may have any.
pub(super) fn no_port(facts: &ServiceFacts, port: &str, becomes: &str) -> String {
    match facts.ports.is_empty() {
        true => with_port(facts, port),
        false => format!("has no port {port}, only {}: {becomes}", facts.port_names()),
    }
}

/// It is not there, and so `becomes` of it, or nobody knows.
pub(super) fn missing<T>(found: Lookup<T>, becomes: &str) -> String {
    match found {
        Lookup::Absent => format!("Service not found: {becomes}"),
        Lookup::Found(_) | Lookup::Unknown => "it is not known whether there is such a Service".to_owned(),
    }
}
