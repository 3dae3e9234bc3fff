//! The rules for a TLSCertificateDelegation itself.

use super::{Rule, RuleFn, validators as must};
use crate::field::At;
use crate::finding::{Actions, Findings};
use crate::kinds::{TlsCertificateDelegation, walk};
use crate::names;

/// The rules for a TLSCertificateDelegation.
pub const RULES: &[Rule] = &[
    Rule::reported(
        "tls-certificate-delegation/incomplete",
        include_str!("../checks/tls_certificate_delegation/incomplete.md"),
        Actions::DENY,
        RuleFn::TlsCertificateDelegation(incomplete),
    ),
    Rule::reported(
        "tls-certificate-delegation/name-malformed",
        include_str!("../checks/tls_certificate_delegation/name_malformed.md"),
        Actions::DENY,
        RuleFn::TlsCertificateDelegation(name_malformed),
    ),
    Rule::reported(
        "tls-certificate-delegation/star-not-alone",
        include_str!("../checks/tls_certificate_delegation/star_not_alone.md"),
        Actions::WARN,
        RuleFn::TlsCertificateDelegation(star_not_alone),
    ),
];

fn incomplete(delegation: &TlsCertificateDelegation<'_>, found: &mut Findings<'_>) {
    if delegation.spec.delegations.is_empty() {
        found.required(At::field("spec.delegations"), "at least one delegation is required");
    }
    for (at, delegated) in walk::certificates::delegated(delegation) {
        let be_named = must::not_be_empty("the name of the Secret is required");
        found.each([(at.child("secretName"), &*delegated.secret_name)], be_named);
        if delegated.target_namespaces.is_empty() {
            let template = "at least one namespace is required for Secret `{}`; use `*` for all";
            found.invalid(at.child("targetNamespaces"), &delegated.secret_name, template);
        }
    }
}

fn name_malformed(delegation: &TlsCertificateDelegation<'_>, found: &mut Findings<'_>) {
    let secrets = walk::certificates::delegated(delegation);
    let secrets = secrets.map(|(at, delegated)| (at.child("secretName"), &*delegated.secret_name));
    found.each(secrets, must::dns_subdomain);
    let namespaces = walk::certificates::targets(delegation).filter(|(_, namespace)| *namespace != "*");
    let template = "`{}` is not a valid namespace: use lower-case letters, digits and `-`";
    found.each(namespaces, must::be(names::is_label, template));
}

fn star_not_alone(delegation: &TlsCertificateDelegation<'_>, found: &mut Findings<'_>) {
    for (at, delegated) in walk::certificates::delegated(delegation) {
        let has_star = delegated.target_namespaces.iter().any(|namespace| &**namespace == "*");
        if has_star && !delegated.is_for_all() {
            let template = "`*` has no effect beside other entries, so only the other namespaces may use Secret `{}`: remove one of them";
            found.invalid(at.child("targetNamespaces"), &delegated.secret_name, template);
        }
    }
}
