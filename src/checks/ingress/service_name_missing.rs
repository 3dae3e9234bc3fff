//! `ingress/service-name-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::{Action, Cause, Findings};
use crate::kinds::{Ingress, walk};

pub static CHECK: Check = Check {
    id: "ingress/service-name-missing",
    // The document makes the name optional.
    page: include_str!("service_name_missing.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::new(Action::Deny, Action::Deny, Action::Off))
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, backend) in walk::backends(ingress) {
        let Some(service) = backend.only_service().filter(|service| service.name.is_empty()) else { continue };
        let port = match (service.port.name(), service.port.number()) {
            (Some(name), _) => name.to_owned(),
            (None, number) => number.unwrap_or_default().to_string(),
        };
        found.add(Cause::Required, at.then("service.name"), &port, "the Service of port `{}` needs a name");
    }
}
