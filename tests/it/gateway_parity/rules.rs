//! Changes for rules about several fields, which no schema suggests: exclusive and required combinations.

mod listeners;
mod routes;

use portcullis_core::kinds::Kind;
use serde_json::Value;

use self::listeners::{gateway, listeners, policy};
use self::routes::{backends, filters, grpc, hostnames, http, parents, redirects};
use super::mutations::Mutation;

/// The changes for a valid object of `kind` with the name `base`.
pub fn of(kind: Kind, base: &str) -> Vec<Mutation> {
    match (kind, base) {
        (Kind::HttpRoute, "rich") => [parents(), hostnames(), http(), filters(), backends()].concat(),
        (Kind::HttpRoute, "redirect") => redirects(),
        (Kind::GrpcRoute, _) => [parents(), hostnames(), grpc(), filters(), backends()].concat(),
        (Kind::TlsRoute, _) => [parents(), hostnames(), backends()].concat(),
        (Kind::TcpRoute | Kind::UdpRoute, _) => [parents(), backends()].concat(),
        (Kind::Gateway, "rich") => [listeners(), gateway()].concat(),
        (Kind::ListenerSet, _) => listeners(),
        (Kind::BackendTlsPolicy, "own") => policy(),
        _ => Vec::new(),
    }
}

fn set(at: &str, to: Value) -> Mutation {
    let what = format!("is {to}");
    Mutation::new(at, Some(to), &what)
}

fn sets(at: &str, values: Vec<Value>) -> Vec<Mutation> {
    values.into_iter().map(|to| set(at, to)).collect()
}
