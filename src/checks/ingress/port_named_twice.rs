//! `ingress/port-named-twice`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};

pub static CHECK: Check = Check {
    id: "ingress/port-named-twice",
    page: include_str!("port_named_twice.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, backend) in walk::backends(ingress) {
        let Some(service) = backend.only_service() else { continue };
        let (Some(name), Some(number)) = (service.port.name(), service.port.number()) else { continue };
        let (identity, number) = (format!("{} {name} {number}", service.name), number.to_string());
        found.invalid(at, &identity, "Service `{}` has a port by name `{}` and by number {}; keep one").shown([
            &service.name,
            name,
            &number,
        ]);
    }
}
