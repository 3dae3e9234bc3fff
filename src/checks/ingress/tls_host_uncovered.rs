//! `ingress/tls-host-uncovered`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};
use crate::matching::{Host, HostSet};

pub static CHECK: Check = Check {
    id: "ingress/tls-host-uncovered",
    page: include_str!("tls_host_uncovered.md"),
    run: Run::Ingress(check),
    ..Check::reference(Actions::WARN)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let tls = &ingress.spec.tls;
    // An entry without hosts stands for whatever the controller serves.
    if tls.is_empty() || tls.iter().any(|entry| entry.hosts.is_empty()) || walk::tls_repeats_rules(ingress) {
        return;
    }
    let covered: HostSet<'_> = walk::tls_hosts(ingress).map(|(_, host)| Host::parse(host)).collect();
    for (at, rule) in walk::rules(ingress) {
        let Some(written) = rule.host.as_deref().filter(|host| !host.is_empty()) else { continue };
        let host = Host::parse(written);
        if !covered.covers(&host) {
            found
                .not_found(
                    at.then("host"),
                    &host.to_string(),
                    "no TLS host covers `{}`, so no certificate is named for it",
                )
                .shown([written]);
        }
    }
}
