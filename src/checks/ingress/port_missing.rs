//! `ingress/port-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::{Action, Cause, Findings};
use crate::kinds::{Ingress, walk};

pub static CHECK: Check = Check {
    id: "ingress/port-missing",
    // The document takes the only port of the Service.
    page: include_str!("port_missing.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::new(Action::Deny, Action::Deny, Action::Off))
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, backend) in walk::backends(ingress) {
        let Some(service) = backend.only_service() else { continue };
        if service.port.name().is_none() && service.port.number().is_none() {
            found.add(Cause::Required, at, &service.name, "Service `{}` needs a port, by name or by number");
        }
    }
}
