//! `ingress/backend-ambiguous`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};

pub static CHECK: Check = Check {
    id: "ingress/backend-ambiguous",
    page: include_str!("backend_ambiguous.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, backend) in walk::backends(ingress) {
        let (Some(service), Some(resource)) = (&backend.service, &backend.resource) else { continue };
        let both = [&*service.name, &*resource.kind, &*resource.name];
        let template = "a backend is one thing: Service `{}` or {} `{}`, not both";
        found.invalid(at, &both.join(" "), template).shown(both);
    }
}
