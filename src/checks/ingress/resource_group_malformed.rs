//! `ingress/resource-group-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::{Action, Findings};
use crate::kinds::{Ingress, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress/resource-group-malformed",
    // The document's own example is `acme.io/networking`.
    page: include_str!("resource_group_malformed.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::new(Action::Deny, Action::Deny, Action::Off))
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, backend) in walk::backends(ingress) {
        let Some(group) = backend.only_resource().and_then(|resource| resource.api_group.as_deref()) else { continue };
        if !names::is_subdomain(group) {
            found.invalid(at.then("resource.apiGroup"), group, "`{}` must be a DNS name in lower case, or left out");
        }
    }
}
