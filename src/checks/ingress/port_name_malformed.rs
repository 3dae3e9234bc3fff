//! `ingress/port-name-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress/port-name-malformed",
    page: include_str!("port_name_malformed.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, backend) in walk::backends(ingress) {
        let Some(port) = backend.only_service().map(|service| &service.port) else { continue };
        let (Some(name), None) = (port.name(), port.number()) else { continue };
        if !names::is_port_name(name) {
            let template = match names::is_number(name) {
                true => "`{}` is a number: write it as `number: {}`",
                false => "`{}` must be at most 15 of `a-z0-9` and single inner `-`, with a letter",
            };
            found.invalid(at.then("service.port.name"), name, template);
        }
    }
}
