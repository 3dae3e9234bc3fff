//! The rules for `spec.tls` of an Ingress.

use std::cell::OnceCell;

use crate::config::Theme;
use crate::field::At;
use crate::finding::{Actions, Findings};
use crate::kinds::{Ingress, walk};
use crate::matching::alias::Aliased;
use crate::matching::claimed_host::{ClaimLocation, ClaimStrength};
use crate::matching::{ClaimedHost, Host, HostSet};
use crate::validation::{BEYOND_KEP, Rule, RuleFn, validators as must};

/// The rules for the TLS of an Ingress.
pub const RULES: &[Rule] = &[
    Rule::reported(
        "ingress/secret-name-malformed",
        include_str!("../../checks/ingress/secret_name_malformed.md"),
        BEYOND_KEP,
        RuleFn::Ingress(|ingress, found| found.each(secrets(ingress), must::dns_subdomain)),
    ),
    Rule::reported(
        "ingress/tls-host-malformed",
        include_str!("../../checks/ingress/tls_host_malformed.md"),
        BEYOND_KEP,
        RuleFn::Ingress(|ingress, found| found.each(walk::tls_hosts(ingress), must::exact_or_wildcard_hostname)),
    ),
    Rule {
        theme: Theme::Reference,
        ..Rule::reported(
            "ingress/tls-host-uncovered",
            include_str!("../../checks/ingress/tls_host_uncovered.md"),
            Actions::WARN,
            RuleFn::Ingress(tls_host_uncovered),
        )
    },
    Rule {
        theme: Theme::Reference,
        ..Rule::reported(
            "ingress/tls-host-unused",
            include_str!("../../checks/ingress/tls_host_unused.md"),
            Actions::WARN,
            RuleFn::Ingress(tls_host_unused),
        )
    },
];

/// The Secret of each entry.
fn secrets<'o>(ingress: &'o Ingress<'_>) -> impl Iterator<Item = (At, &'o str)> {
    ingress.spec.tls.iter().enumerate().filter_map(|(index, tls)| {
        let secret = tls.secret_name.as_deref()?;
        Some((At::element("spec.tls[].secretName", [index]), secret))
    })
}

fn tls_host_uncovered(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    let tls = &ingress.spec.tls;
    // An entry without hosts applies to every host that the controller serves.
    if tls.is_empty() || tls.iter().any(|entry| entry.hosts.is_empty()) || walk::tls_repeats_rules(ingress) {
        return;
    }
    let covered: HostSet<'_> = walk::tls_hosts(ingress).map(|(_, host)| Host::parse(host)).collect();
    for (at, written) in walk::rule_hosts(ingress) {
        let host = Host::parse(written);
        if !covered.covers(&host) {
            let template = "no host in spec.tls covers `{}`: add it to an entry, or it has no certificate";
            found.not_found(at, &host.to_string(), template).args([written]);
        }
    }
}

fn tls_host_unused(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    // A default backend serves every host.
    if ingress.spec.tls.is_empty() || ingress.spec.default_backend.is_some() || walk::tls_repeats_rules(ingress) {
        return;
    }
    let served = ingress.spec.rules.iter().map(|rule| Host::parse(rule.host.as_deref().unwrap_or_default()));
    let served: HostSet<'_> = served.collect();
    let aliases = OnceCell::new();
    for (at, written) in walk::tls_hosts(ingress) {
        let host = Host::parse(written);
        // Controllers that read an annotation serve the hosts that it adds.
        let is_aliased = || aliases.get_or_init(|| aliased(ingress)).overlaps(&host);
        if !served.overlaps(&host) && !is_aliased() {
            let template = "no rule serves `{}`: add a rule for it, or remove it from spec.tls";
            found.not_found(at, &host.to_string(), template).args([written]);
        }
    }
}

/// The hosts that annotations add to those of the rules. Hosts that are only added to DNS are left out.
fn aliased<'i>(ingress: &'i Ingress<'_>) -> HostSet<'i> {
    let own: Vec<_> =
        walk::rule_hosts(ingress).map(|(at, host)| ClaimedHost::written(ClaimLocation::At(at), host)).collect();
    let added = Aliased::all("metadata.annotations", &ingress.metadata.annotations);
    let added = added.flat_map(|aliased| aliased.claims(&own));
    added.filter(|claim| claim.kind != ClaimStrength::Dns).map(|claim| claim.host).collect()
}
