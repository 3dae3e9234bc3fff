//! The rules for the addresses that a Gateway requests.

use std::net::IpAddr;

use hashbrown::HashSet;

use super::super::{Rule, RuleFn, validators as must};
use crate::bundle::Enforced;
use crate::field::Child;
use crate::finding::Findings;
use crate::kinds::Gateway;
use crate::kinds::gateway::Address;
use crate::kinds::walk::gateway as walk;

/// The rules for addresses.
pub const RULES: &[Rule] = &[
    Rule::invalidates(
        "gateway/address-type-unknown",
        include_str!("../../checks/gateway/address_type_unknown.md"),
        RuleFn::Gateway(|gateway, found| {
            let types = walk::addresses(gateway).map(|(at, address)| (at.child("type"), address.kind()));
            found.each(types, must::address_type)
        }),
    ),
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "gateway/address-ip-malformed",
            include_str!("../../checks/gateway/address_ip_malformed.md"),
            RuleFn::Gateway(|gateway, found| found.each(values(gateway, "IPAddress"), must::ip_address)),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::invalidates(
            "gateway/address-hostname-malformed",
            include_str!("../../checks/gateway/address_hostname_malformed.md"),
            RuleFn::Gateway(|gateway, found| found.each(values(gateway, "Hostname"), must::exact_or_wildcard_hostname)),
        )
    },
    Rule::invalidates(
        "gateway/address-duplicate",
        include_str!("../../checks/gateway/address_duplicate.md"),
        RuleFn::Gateway(address_duplicate),
    ),
];

/// The value of each address of this type, if it has a value.
fn values<'g>(gateway: &'g Gateway<'_>, kind: &'static str) -> impl Iterator<Item = (Child, &'g str)> {
    let addresses = walk::addresses(gateway).filter(move |(_, address)| address.kind() == kind);
    addresses.filter_map(|(at, address)| Some((at.child("value"), address.value.as_deref()?)))
}

fn address_duplicate(gateway: &Gateway<'_>, found: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    for (at, address) in walk::addresses(gateway) {
        let Some(value) = canonical(address) else { continue };
        if !seen.insert((address.kind(), value)) {
            let written = address.value.as_deref().unwrap_or_default();
            let template = "{} `{}` is already requested: remove one of the entries";
            let finding = found.duplicate(at.child("value"), written, template);
            finding.args([address.kind(), written]);
            // Only an implementation knows whether an address of its own type can be requested twice.
            if !matches!(address.kind(), "IPAddress" | "Hostname") {
                finding.only_warns();
            }
        }
    }
}

/// The value in the form in which it is compared. An IP address has one canonical form.
fn canonical(address: &Address<'_>) -> Option<String> {
    let value = address.value.as_deref().filter(|value| !value.is_empty())?;
    match (address.kind(), value.parse::<IpAddr>()) {
        ("IPAddress", Ok(ip)) => Some(ip.to_string()),
        _ => Some(value.to_owned()),
    }
}
