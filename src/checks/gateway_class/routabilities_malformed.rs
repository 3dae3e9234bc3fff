//! `gateway-class/routabilities-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::GatewayClass;
use crate::kinds::gateway_class::ROUTABILITIES_ANNOTATION;
use crate::matching::Routability;

/// The most routabilities of a class (GEP-1651).
const MOST: usize = 8;

pub static CHECK: Check = Check {
    id: "gateway-class/routabilities-malformed",
    page: include_str!("routabilities_malformed.md"),
    run: Run::GatewayClass(check),
    ..Check::shape(Actions::DENY)
};

fn check(class: &GatewayClass<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(entries) = class.routabilities() else { return };
    let entries: Vec<&str> = entries.collect();
    let at = || At::field("metadata.annotations").key(ROUTABILITIES_ANNOTATION);
    if entries.is_empty() {
        found.required(at(), "a class that lists what it offers must offer one routability at least");
    }
    if entries.len() > MOST {
        found.invalid(at(), &entries.len().to_string(), "{} routabilities; a class offers at most 8");
    }
    for (index, entry) in entries.iter().enumerate().take(MOST) {
        if Routability::parse(entry).is_none() {
            found.not_supported(at(), entry, "`{}` is neither Public, Private, Cluster nor a `domain/name`");
        } else if entries[..index].contains(entry) {
            found.duplicate(at(), entry, "`{}` is listed twice");
        }
    }
}
