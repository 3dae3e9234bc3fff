//! `ingress/nothing-served`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind};
use crate::matching::annotation_effect::Effect;
use crate::routing::controllers::effect_of;

pub static CHECK: Check = Check {
    id: "ingress/nothing-served",
    needs: &[Kind::IngressClass],
    page: include_str!("nothing_served.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::WARN)
};

/// Reports an Ingress in which no rule has paths. If only some rules have none, their hosts are assumed to serve as a
/// fallback for requests that no other rule matches.
fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if effect_of(Effect::ServedElsewhere, ingress, cx.cluster).is_some() {
        return;
    }
    let rules = &ingress.spec.rules;
    if ingress.spec.default_backend.is_none() && !rules.is_empty() && rules.iter().all(|rule| rule.http.is_none()) {
        let template =
            "no rule has `http`, and defaultBackend is not set, so nothing is served: add paths or a backend";
        found.required(At::field("spec.rules"), template);
    }
}
