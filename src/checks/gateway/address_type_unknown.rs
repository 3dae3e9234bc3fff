//! `gateway/address-type-unknown`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Gateway, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "gateway/address-type-unknown",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("address_type_unknown.md"),
    run: Run::Gateway(check),
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
