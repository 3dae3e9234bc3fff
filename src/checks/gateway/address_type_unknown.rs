//! `gateway/address-type-unknown`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Gateway, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "gateway/address-type-unknown",
    page: include_str!("address_type_unknown.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, address) in walk::gateway::addresses(gateway) {
        let kind = address.kind();
        let is_known = matches!(kind, "IPAddress" | "Hostname" | "NamedAddress");
        if !is_known && !names::is_domain_prefixed_path(kind) {
            found.not_supported(
                at.then("type"),
                kind,
                "`{}` is not IPAddress, Hostname, NamedAddress or a `domain/path`",
            );
        }
    }
}
