//! The rules for the routability that a Gateway requests (GEP-1651).

use std::net::Ipv4Addr;

use super::super::{Rule, RuleFn, validators as must};
use crate::config::Theme;
use crate::finding::{Actions, Findings};
use crate::kinds::Gateway;
use crate::kinds::Routability;
use crate::kinds::walk::gateway as walk;

/// The rules for the routability.
pub const RULES: &[Rule] = &[
    Rule::invalidates(
        "gateway/routability-malformed",
        include_str!("../../checks/gateway/routability_malformed.md"),
        RuleFn::Gateway(|gateway, found| found.each(walk::routabilities(gateway), must::routability)),
    ),
    Rule::reported(
        "gateway/routability-address-wider",
        include_str!("../../checks/gateway/routability_address_wider.md"),
        Actions::WARN,
        RuleFn::Gateway(address_wider),
    ),
    Rule {
        theme: Theme::Policy,
        ..Rule::reported(
            "gateway/routability-public-private-address",
            include_str!("../../checks/gateway/routability_public_private_address.md"),
            Actions::WARN,
            RuleFn::Gateway(public_private_address),
        )
    },
];

fn address_wider(gateway: &Gateway<'_>, found: &mut Findings<'_>) {
    let Some((_, own)) = walk::routability(gateway) else { return };
    let Some(limit) = Routability::parse(own) else { return };
    for (at, address) in walk::addresses(gateway) {
        let Some(requested) = address.routability.as_deref() else { continue };
        if Routability::parse(requested).is_some_and(|requested| requested > limit) {
            let template = "`{}` is wider than `{}` of the Gateway; use a narrower routability";
            found.forbidden(at.child("routability"), requested, template).args([requested, own]);
        }
    }
}

fn public_private_address(gateway: &Gateway<'_>, found: &mut Findings<'_>) {
    let whole = walk::routability(gateway).map(|(_, value)| value);
    for (at, address) in walk::addresses(gateway).filter(|(_, address)| address.kind() == "IPAddress") {
        let Some(value) = address.value.as_deref() else { continue };
        let is_private = value.parse::<Ipv4Addr>().is_ok_and(|ip| ip.is_private());
        if is_private && address.routability.as_deref().or(whole) == Some("Public") {
            let template = "`{}` is a private address: use a public one, or routability Private";
            found.invalid(at.child("value"), value, template);
        }
    }
}
