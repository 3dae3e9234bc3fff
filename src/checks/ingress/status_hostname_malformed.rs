//! `ingress/status-hostname-malformed`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::{Action, Findings};
use crate::kinds::{Ingress, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress/status-hostname-malformed",
    theme: Theme::Shape,
    since: Release(0, 1),
    // The document does not cover the status.
    actions: Actions::new(Action::Warn, Action::Warn, Action::Off),
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("status_hostname_malformed.md"),
    run: Run::IngressStatus(check),
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, point) in walk::load_balancer_points(ingress) {
        let name = point.hostname.as_deref().unwrap_or_default();
        if !name.is_empty() && (!names::is_subdomain(name) || names::is_ip(name)) {
            found.invalid(at.then("hostname"), name, "`{}` must be a DNS name in lower case, not an IP address");
        }
    }
}
