//! `ingress/tls-host-unused`

use std::cell::OnceCell;

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};
use crate::matching::alias::Aliased;
use crate::matching::claims::{ClaimKind, Place};
use crate::matching::{Host, HostClaim, HostSet};

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
    let aliases = OnceCell::new();
    for (at, written) in walk::tls_hosts(ingress) {
        let host = Host::parse(written);
        // What an annotation adds is served by the controllers that read it.
        let is_aliased = || aliases.get_or_init(|| aliased(ingress)).meets(&host);
        if !served.meets(&host) && !is_aliased() {
            found
                .not_found(at, &host.to_string(), "no rule serves `{}`, so nothing asks for TLS under this name")
                .shown([written]);
        }
    }
}

/// The hosts that annotations add to those of the rules for who sends requests, and not for the DNS alone.
fn aliased<'i>(ingress: &'i Ingress<'_>) -> HostSet<'i> {
    let own: Vec<_> = walk::rule_hosts(ingress).map(|(at, host)| HostClaim::written(Place::At(at), host)).collect();
    let added = Aliased::all("metadata.annotations", &ingress.metadata.annotations);
    let added = added.flat_map(|aliased| aliased.claims(&own));
    added.filter(|claim| claim.kind != ClaimKind::Dns).map(|claim| claim.host).collect()
}
