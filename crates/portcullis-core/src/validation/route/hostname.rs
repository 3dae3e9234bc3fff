//! The rules for the hostnames of a route.

use hashbrown::HashSet;

use crate::bundle::Enforced;
use crate::finding::{Actions, Findings, Validity};
use crate::kinds::{Route, walk};
use crate::matching::Host;
use crate::names;
use crate::validation::{Rule, RuleFn, validators as must};

/// The rules for hostnames.
pub const RULES: &[Rule] = &[
    Rule::reported(
        "route/hostname-duplicate",
        include_str!("../../checks/route/hostname_duplicate.md"),
        Actions::WARN,
        RuleFn::Route(duplicate),
    ),
    Rule::reported(
        "route/hostname-is-ip",
        include_str!("../../checks/route/hostname_is_ip.md"),
        Actions::DENY,
        RuleFn::Route(|route, found| {
            let template = "`{}` is an IP address: use a hostname";
            found.each(walk::route::hostnames(route), must::be(is_not_ip, template))
        }),
    ),
    Rule::reported(
        "route/hostname-label-too-long",
        include_str!("../../checks/route/hostname_label_too_long.md"),
        Actions::DENY,
        RuleFn::Route(|route, found| found.each(walk::route::hostnames(route), have_short_labels)),
    ),
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/hostname-malformed",
            include_str!("../../checks/route/hostname_malformed.md"),
            Actions::DENY,
            RuleFn::Route(|route, found| {
                let exact = walk::route::hostnames(route).filter(|(_, host)| !host.contains('*'));
                found.each(exact, must::exact_hostname)
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "route/hostname-wildcard-malformed",
            include_str!("../../checks/route/hostname_wildcard_malformed.md"),
            Actions::DENY,
            RuleFn::Route(|route, found| {
                let wildcards = walk::route::hostnames(route).filter(|(_, host)| host.contains('*'));
                found.each(wildcards, wildcard)
            }),
        )
    },
];

fn duplicate(route: &Route<'_, '_>, found: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    for (at, host) in walk::route::hostnames(route).filter(|(_, host)| !host.is_empty()) {
        if !seen.insert(Host::parse(host)) {
            found.duplicate(at, host, "`{}` is listed twice: remove one");
        }
    }
}

/// Whether `host` is not an IPv4 address. Another rule reports an IPv6 address, since a hostname contains no colons.
fn is_not_ip(host: &str) -> bool {
    let name = host.strip_prefix("*.").unwrap_or(host);
    !(names::is_ip(name) && names::is_subdomain(name))
}

/// Reports labels that are too long. Another rule reports hosts that are not valid names at all.
fn have_short_labels(host: &str) -> Validity {
    let is_well_formed = || names::is_subdomain(host) || names::is_wildcard(host);
    must::have_short_labels(host).or_else(|long| if is_well_formed() { Err(long) } else { Ok(()) })
}

fn wildcard(host: &str) -> Validity {
    let template = "`{}` is not a valid hostname: remove `hostnames` to match every host of the listeners";
    must::be(|host| host != "*", template)(host)?;
    must::wildcard_hostname(host)
}
