//! `ingress/service-name-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress/service-name-malformed",
    page: include_str!("service_name_malformed.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, backend) in walk::backends(ingress) {
        let Some(service) = backend.only_service() else { continue };
        if !service.name.is_empty() && !names::is_label(&service.name) {
            let template = "`{}` needs a letter or digit at both ends, no dot, and at most 63 bytes";
            found.malformed(at.then("service.name"), &service.name, template);
        }
    }
}
