//! `gateway/address-ip-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Gateway, walk};
use std::net::IpAddr;

pub static CHECK: Check = Check {
    id: "gateway/address-ip-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("address_ip_malformed.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, address) in walk::gateway::addresses(gateway).filter(|(_, address)| address.kind() == "IPAddress") {
        let Some(value) = address.value.as_deref() else { continue };
        if value.parse::<IpAddr>().is_err() {
            found.invalid(at.then("value"), value, "`{}` is no IP address; a host name needs `type: Hostname`");
        }
    }
}
