//! `ingress/status-ip-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::{Action, Findings};
use crate::kinds::{Ingress, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress/status-ip-malformed",
    // The document does not cover the status.
    page: include_str!("status_ip_malformed.md"),
    run: Run::IngressStatus(check),
    ..Check::shape(Actions::new(Action::Warn, Action::Warn, Action::Off))
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, point) in walk::load_balancer_points(ingress) {
        let ip = point.ip.as_deref().unwrap_or_default();
        if !ip.is_empty() && !names::is_strict_ip(ip) {
            found.invalid(at.then("ip"), ip, "`{}` must be a plain IP address: no leading zeros, no IPv4 inside IPv6");
        }
    }
}
