//! `ingress/tls-host-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::{Action, Findings};
use crate::kinds::{Ingress, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress/tls-host-malformed",
    // The document does not cover TLS.
    page: include_str!("tls_host_malformed.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::new(Action::Deny, Action::Deny, Action::Off))
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, host) in walk::tls_hosts(ingress) {
        if !names::is_subdomain(host) && !names::is_wildcard(host) {
            found.malformed(at, host, "`{}` must be a DNS name in lower case, or `*.` and one");
        }
    }
}
