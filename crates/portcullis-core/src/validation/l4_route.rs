//! The rules for a TLSRoute, TCPRoute or UDPRoute itself.

use super::{Rule, RuleFn};
use crate::bundle::Enforced;
use crate::field::At;
use crate::finding::{Actions, Findings};
use crate::kinds::L4Route;

/// The rules for a layer 4 route.
pub const RULES: &[Rule] = &[Rule {
    enforced: Some(Enforced::ALWAYS),
    ..Rule::reported(
        "l4-route/hostnames-missing",
        include_str!("../checks/l4_route/hostnames_missing.md"),
        Actions::DENY,
        RuleFn::TlsRoute(hostnames_missing),
    )
}];

fn hostnames_missing(route: &L4Route<'_>, found: &mut Findings<'_>) {
    if !route.is_v1alpha2() && route.spec.hostnames.is_empty() {
        found.required(
            At::field("spec.hostnames"),
            "at least one hostname is required: TLS clients select a route by it",
        );
    }
}
