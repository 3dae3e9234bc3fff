//! `ingress/status-hostname-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::{Action, Findings};
use crate::kinds::{Ingress, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress/status-hostname-malformed",
    // The document does not cover the status.
    page: include_str!("status_hostname_malformed.md"),
    run: Run::IngressStatus(check),
    ..Check::shape(Actions::new(Action::Warn, Action::Warn, Action::Off))
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, point) in walk::load_balancer_points(ingress) {
        let name = point.hostname.as_deref().unwrap_or_default();
        if !name.is_empty() && (!names::is_subdomain(name) || names::is_ip(name)) {
            found.invalid(at.then("hostname"), name, "`{}` must be a DNS name in lower case, not an IP address");
        }
    }
}
