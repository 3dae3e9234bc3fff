//! The rules for the hosts in the rules of an Ingress.

use crate::config::Theme;
use crate::finding::{Actions, Findings, Validity};
use crate::kinds::{Ingress, walk};
use crate::matching::Host;
use crate::names;
use crate::validation::{Rule, RuleFn, validators as must};

/// The rules for the hosts of an Ingress.
pub const RULES: &[Rule] = &[
    Rule {
        theme: Theme::Policy,
        ..Rule::reported(
            "ingress/host-catch-all",
            include_str!("../../checks/ingress/host_catch_all.md"),
            Actions::RESTRICTED,
            RuleFn::Ingress(host_catch_all),
        )
    },
    Rule::reported(
        "ingress/host-is-ip",
        include_str!("../../checks/ingress/host_is_ip.md"),
        Actions::DENY,
        RuleFn::Ingress(|ingress, found| found.each(walk::rule_hosts(ingress), must::not_be_an_ip)),
    ),
    Rule::reported(
        "ingress/host-label-too-long",
        include_str!("../../checks/ingress/host_label_too_long.md"),
        Actions::DENY,
        RuleFn::Ingress(|ingress, found| found.each(walk::rule_hosts(ingress), must::have_short_labels)),
    ),
    Rule::reported(
        "ingress/host-malformed",
        include_str!("../../checks/ingress/host_malformed.md"),
        Actions::DENY,
        RuleFn::Ingress(|ingress, found| found.each(walk::rule_hosts(ingress), be_exact_if_not_wildcard)),
    ),
    Rule {
        theme: Theme::Policy,
        ..Rule::reported(
            "ingress/host-wildcard",
            include_str!("../../checks/ingress/host_wildcard.md"),
            Actions::RESTRICTED,
            RuleFn::Ingress(host_wildcard),
        )
    },
    Rule::reported(
        "ingress/wildcard-malformed",
        include_str!("../../checks/ingress/wildcard_malformed.md"),
        Actions::DENY,
        RuleFn::Ingress(|ingress, found| {
            let wildcards = walk::rule_hosts(ingress).filter(|(_, host)| host.contains('*'));
            found.each(wildcards, must::wildcard_hostname)
        }),
    ),
];

fn host_catch_all(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    let hosts = walk::rules(ingress).map(|(at, rule)| (at.child("host"), rule.host.as_deref().unwrap_or_default()));
    found.each(hosts, must::not_be_empty("a host is required: a rule without one receives the requests of every host"));
}

/// Other rules report wildcards and IP addresses.
fn be_exact_if_not_wildcard(host: &str) -> Validity {
    match names::is_subdomain(host) || host.contains('*') || names::is_ip(host) {
        true => Ok(()),
        false => must::exact_hostname(host),
    }
}

fn host_wildcard(ingress: &Ingress<'_>, found: &mut Findings<'_>) {
    for (at, rule) in walk::rules(ingress) {
        let written = rule.host.as_deref().unwrap_or_default();
        let host = Host::parse(written);
        if let Host::Wildcard(_) = host {
            let template = "`{}` must not be a wildcard, which claims names that are not listed: list each host";
            found.forbidden(at.child("host"), &host.to_string(), template).args([written]);
        }
    }
}
