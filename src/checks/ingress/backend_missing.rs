//! `ingress/backend-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Ingress, ingress::Backend, walk};

pub static CHECK: Check = Check {
    id: "ingress/backend-missing",
    page: include_str!("backend_missing.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

const TEMPLATE: &str = "a backend needs a `service` or a `resource`";

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if ingress.spec.default_backend.as_ref().is_some_and(is_missing) {
        found.invalid(At::field("spec.defaultBackend"), "", TEMPLATE);
    }
    for (at, path, rule) in walk::http_paths(ingress) {
        if is_missing(&path.backend) {
            found.invalid(at.then("backend"), &walk::written_route(rule, path), TEMPLATE);
        }
    }
}

fn is_missing(backend: &Backend<'_>) -> bool {
    backend.service.is_none() && backend.resource.is_none()
}
