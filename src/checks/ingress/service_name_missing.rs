//! `ingress/service-name-missing`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::{Action, Cause, Findings};
use crate::kinds::{Ingress, walk};

pub static CHECK: Check = Check {
    id: "ingress/service-name-missing",
    theme: Theme::Shape,
    since: Release(0, 1),
    // The document makes the name optional.
    actions: Actions::new(Action::Deny, Action::Deny, Action::Off),
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("service_name_missing.md"),
    run: Run::Ingress(check),
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
