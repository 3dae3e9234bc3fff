//! `tls-certificate-delegation/incomplete`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{TlsCertificateDelegation, walk};

pub static CHECK: Check = Check {
    id: "tls-certificate-delegation/incomplete",
    page: include_str!("incomplete.md"),
    run: Run::TlsCertificateDelegation(check),
    ..Check::shape(Actions::DENY)
};

fn check(delegation: &TlsCertificateDelegation<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if delegation.spec.delegations.is_empty() {
        found.required(At::field("spec.delegations"), "nothing is lent: list at least one Secret");
    }
    for (at, delegated) in walk::certificates::delegated(delegation) {
        if delegated.secret_name.is_empty() {
            found.required(at.then("secretName"), "the Secret that is lent needs its name");
        }
        if delegated.target_namespaces.is_empty() {
            let message = "`{}` is lent to nobody: list namespaces, or `*` alone for all";
            found.invalid(at.then("targetNamespaces"), &delegated.secret_name, message);
        }
    }
}
