//! `ingress/default-backend-set`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Ingress;

pub static CHECK: Check = Check {
    id: "ingress/default-backend-set",
    page: include_str!("default_backend_set.md"),
    run: Run::Ingress(check),
    ..Check::policy(Actions::RESTRICTED)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if ingress.spec.default_backend.is_some() {
        let sentence = "a default backend takes requests of every host; give each host a rule of its own";
        found.forbidden(At::field("spec.defaultBackend"), "", sentence);
    }
}
