//! `gateway/routability-field-unknown`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::gateway::ROUTABILITY_ANNOTATION;
use crate::kinds::{Gateway, walk};

/// The release and channel since which an address has the field of GEP-5093.
const SINCE_GEP_5093: Enforced = Enforced::experimental(1, 7);

const MESSAGE: &str = "unknown field; set the annotation {} in spec.infrastructure";

pub static CHECK: Check = Check {
    id: "gateway/routability-field-unknown",
    page: include_str!("routability_field_unknown.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::WARN)
};

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // An API server drops unknown fields, so if it passed the field on, its CRD has it.
    if cx.cluster.schema(cx.this.kind).enforced {
        return;
    }
    let infrastructure = gateway.spec.infrastructure.as_ref();
    if let Some(value) = infrastructure.and_then(|infrastructure| infrastructure.routability.as_deref()) {
        let at = At::field("spec.infrastructure").then("routability");
        found.not_supported(at, value, MESSAGE).args([ROUTABILITY_ANNOTATION]);
    }
    if SINCE_GEP_5093.holds_in(cx.bundle()) {
        return;
    }
    for (at, address) in walk::gateway::addresses(gateway) {
        if let Some(value) = address.routability.as_deref() {
            found.not_supported(at.then("routability"), value, MESSAGE).args([ROUTABILITY_ANNOTATION]);
        }
    }
}
