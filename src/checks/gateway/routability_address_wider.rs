//! `gateway/routability-address-wider`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Gateway, walk};
use crate::matching::Routability;

pub static CHECK: Check = Check {
    id: "gateway/routability-address-wider",
    page: include_str!("routability_address_wider.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::WARN)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some((_, own)) = walk::gateway::routability(gateway) else { return };
    let Some(limit) = Routability::parse(own) else { return };
    for (at, address) in walk::gateway::addresses(gateway) {
        let Some(asked) = address.routability.as_deref() else { continue };
        if Routability::parse(asked).is_some_and(|asked| asked > limit) {
            found
                .forbidden(at.then("routability"), asked, "`{}` reaches further than the `{}` of the whole Gateway")
                .shown([asked, own]);
        }
    }
}
