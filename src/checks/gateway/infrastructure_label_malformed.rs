//! `gateway/infrastructure-label-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Gateway;
use crate::names;

pub static CHECK: Check = Check {
    id: "gateway/infrastructure-label-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("infrastructure_label_malformed.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(infrastructure) = &gateway.spec.infrastructure else { return };
    for (key, value) in infrastructure.labels.iter().filter(|(_, value)| !names::is_label_value(value)) {
        let sentence = "`{}` is no value of a label: at most 63 of `A-Za-z0-9-_.`";
        found.invalid(At::field("spec.infrastructure.labels").key(key), value, sentence);
    }
}
