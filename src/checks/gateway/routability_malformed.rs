//! `gateway/routability-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Gateway, walk};
use crate::matching::Routability;

pub static CHECK: Check = Check {
    id: "gateway/routability-malformed",
    page: include_str!("routability_malformed.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, value) in walk::gateway::routabilities(gateway) {
        if Routability::parse(value).is_none() {
            found.not_supported(at, value, "`{}` is neither Public, Private, Cluster nor a `domain/name`");
        }
    }
}
