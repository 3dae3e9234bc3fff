//! `gateway/routability-public-private-address`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::Gateway;
use crate::kinds::walk::gateway::{addresses, routability};
use std::net::Ipv4Addr;

pub static CHECK: Check = Check {
    id: "gateway/routability-public-private-address",
    page: include_str!("routability_public_private_address.md"),
    run: Run::Gateway(check),
    ..Check::policy(Actions::WARN)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let whole = routability(gateway).map(|(_, value)| value);
    for (at, address) in addresses(gateway).filter(|(_, address)| address.kind() == "IPAddress") {
        let Some(value) = address.value.as_deref() else { continue };
        let is_private = value.parse::<Ipv4Addr>().is_ok_and(|ip| ip.is_private());
        if is_private && address.routability.as_deref().or(whole) == Some("Public") {
            found.invalid(at.then("value"), value, "`{}` is of a private network, and the Gateway asks to be Public");
        }
    }
}
