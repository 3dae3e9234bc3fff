//! `ingress/no-rules`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Ingress;

pub static CHECK: Check = Check {
    id: "ingress/no-rules",
    page: include_str!("no_rules.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if ingress.spec.rules.is_empty() && ingress.spec.default_backend.is_none() {
        found.invalid(At::field("spec"), "", "without `rules` and `defaultBackend` this Ingress serves nothing");
    }
}
