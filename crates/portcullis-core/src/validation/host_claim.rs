//! The rules for a HostClaim itself. The CRD enforces them, but files have not passed an API server.

use super::{Rule, RuleFn, validators as must};
use crate::field::At;
use crate::finding::{Actions, Findings};
use crate::kinds::{HostClaim, walk};
use crate::matching::Host;
use crate::matching::claim_name::{WILDCARD_LABEL, name_of};

/// The rules for a HostClaim.
pub const RULES: &[Rule] = &[
    Rule::reported(
        "host-claim/host-malformed",
        include_str!("../checks/host_claim/host_malformed.md"),
        Actions::DENY,
        RuleFn::HostClaim(host_malformed),
    ),
    Rule::reported(
        "host-claim/name-mismatch",
        include_str!("../checks/host_claim/name_mismatch.md"),
        Actions::DENY,
        RuleFn::HostClaim(name_mismatch),
    ),
    Rule::reported(
        "host-claim/namespace-malformed",
        include_str!("../checks/host_claim/namespace_malformed.md"),
        Actions::DENY,
        RuleFn::HostClaim(|claim, found| found.each(walk::host_claim::namespaces(claim), must::namespace_name)),
    ),
];

fn host_malformed(claim: &HostClaim<'_>, found: &mut Findings<'_>) {
    let host = walk::host_claim::host(claim);
    found.each([host], must::be_set("the host is required, such as shop.example.com"));
    found.each([host].into_iter().filter(|(_, host)| !host.is_empty()), must::exact_or_wildcard_hostname);
    let (at, host) = host;
    if host.strip_prefix(WILDCARD_LABEL).is_some_and(|rest| rest.starts_with('.')) {
        found.invalid(at, host, "`{}` begins with a label that is reserved for the names of claims of wildcards");
    }
}

/// A name that the API server will generate is not checked, and neither is that of a malformed host.
fn name_mismatch(claim: &HostClaim<'_>, found: &mut Findings<'_>) {
    let (_, written) = walk::host_claim::host(claim);
    let (host, name) = (Host::parse(written), claim.metadata.name());
    if let Some(expected) = name_of(&host)
        && !name.is_empty()
        && *expected != *name
        && must::exact_or_wildcard_hostname(written).is_ok()
    {
        found
            .invalid(At::field("metadata.name"), name, "the name must be the host: rename the claim to {}")
            .args([&*expected]);
    }
}
