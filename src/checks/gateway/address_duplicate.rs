//! `gateway/address-duplicate`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::gateway::Address;
use crate::kinds::{Gateway, walk};
use std::net::IpAddr;

use hashbrown::HashSet;

pub static CHECK: Check = Check {
    id: "gateway/address-duplicate",
    page: include_str!("address_duplicate.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    for (at, address) in walk::gateway::addresses(gateway) {
        let Some(value) = canonical(address) else { continue };
        if !seen.insert((address.kind(), value)) {
            let written = address.value.as_deref().unwrap_or_default();
            let finding = found.duplicate(at.then("value"), written, "{} `{}` is asked for already");
            finding.shown([address.kind(), written]);
            // What a type of the implementation's own means twice, only the implementation knows.
            if !matches!(address.kind(), "IPAddress" | "Hostname") {
                finding.only_warns();
            }
        }
    }
}

/// The value as it is compared: an IP address in its one canonical form.
fn canonical(address: &Address<'_>) -> Option<String> {
    let value = address.value.as_deref().filter(|value| !value.is_empty())?;
    match (address.kind(), value.parse::<IpAddr>()) {
        ("IPAddress", Ok(ip)) => Some(ip.to_string()),
        _ => Some(value.to_owned()),
    }
}
