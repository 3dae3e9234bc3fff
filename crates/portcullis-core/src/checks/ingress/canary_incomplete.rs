//! `ingress/canary-incomplete`

use super::nginx_annotations;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::annotation_value::is_true;
use crate::kinds::{Ingress, Kind};
use crate::nginx::annotations;

pub static CHECK: Check = Check {
    id: "ingress/canary-incomplete",
    needs: &[Kind::IngressClass],
    page: include_str!("canary_incomplete.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::WARN)
};

/// The annotations that select requests for a canary.
const SELECTORS: [&str; 3] = ["canary-by-cookie", "canary-by-header", "canary-weight"];

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some((key, value)) = annotations::find("canary", ingress).filter(|(_, value)| is_true(value)) else {
        return;
    };
    let is_selected = SELECTORS.iter().any(|name| annotations::find(name, ingress).is_some());
    if !is_selected && nginx_annotations::are_read(ingress, cx) {
        let at = At::field("metadata.annotations").key(key);
        let template = "a canary without canary-weight, -by-header or -by-cookie gets no requests: set one of them";
        found.invalid(at, value, template).without_args();
    }
}
