//! `ingress/tls-host-unused`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};
use crate::matching::{Host, HostSet};

pub static CHECK: Check = Check {
    id: "ingress/tls-host-unused",
    page: include_str!("tls_host_unused.md"),
    run: Run::Ingress(check),
    ..Check::reference(Actions::WARN)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    // A default backend answers for every host.
    if ingress.spec.tls.is_empty() || ingress.spec.default_backend.is_some() || walk::tls_repeats_rules(ingress) {
        return;
    }
    let served = ingress.spec.rules.iter().map(|rule| Host::parse(rule.host.as_deref().unwrap_or_default()));
    let served: HostSet<'_> = served.collect();
    for (at, written) in walk::tls_hosts(ingress) {
        let host = Host::parse(written);
        if !served.meets(&host) {
            found
                .not_found(at, &host.to_string(), "no rule serves `{}`, so nothing asks for TLS under this name")
                .shown([written]);
        }
    }
}
