//! `ingress/port-number-out-of-range`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress/port-number-out-of-range",
    page: include_str!("port_number_out_of_range.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, backend) in walk::backends(ingress) {
        let Some(port) = backend.only_service().map(|service| &service.port) else { continue };
        let (None, Some(number)) = (port.name(), port.number()) else { continue };
        if !names::is_port(number) {
            found.invalid(at.then("service.port.number"), &number.to_string(), "port {} must be from 1 to 65535");
        }
    }
}
