//! `gateway/address-hostname-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Gateway, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "gateway/address-hostname-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("address_hostname_malformed.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, address) in walk::gateway::addresses(gateway).filter(|(_, address)| address.kind() == "Hostname") {
        let Some(value) = address.value.as_deref() else { continue };
        if !names::is_subdomain(value) && !names::is_wildcard(value) {
            found.malformed(at.then("value"), value, "`{}` is no host name such as `shop.example.com`");
        }
    }
}
