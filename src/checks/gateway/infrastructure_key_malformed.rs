//! `gateway/infrastructure-key-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Gateway;
use crate::names;

pub static CHECK: Check = Check {
    id: "gateway/infrastructure-key-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("infrastructure_key_malformed.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(infrastructure) = &gateway.spec.infrastructure else { return };
    let labels = infrastructure.labels.iter().map(|(key, _)| (At::field("spec.infrastructure.labels"), key));
    let annotations = infrastructure.annotations.iter();
    let annotations = annotations.map(|(key, _)| (At::field("spec.infrastructure.annotations"), key));
    for (at, key) in labels.chain(annotations).filter(|(_, key)| !names::is_qualified_name(key)) {
        found.invalid(at.key(key), key, "`{}` is no key such as `team` or `example.com/team`");
    }
}
