//! `tls-certificate-delegation/name-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{TlsCertificateDelegation, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "tls-certificate-delegation/name-malformed",
    page: include_str!("name_malformed.md"),
    run: Run::TlsCertificateDelegation(check),
    ..Check::shape(Actions::DENY)
};

fn check(delegation: &TlsCertificateDelegation<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, delegated) in walk::certificates::delegated(delegation) {
        if !delegated.secret_name.is_empty() && !names::is_subdomain(&delegated.secret_name) {
            let message = "`{}` is no Secret's name: words of `a-z0-9-` between dots";
            found.malformed(at.then("secretName"), &delegated.secret_name, message);
        }
    }
    for (at, namespace) in walk::certificates::targets(delegation) {
        if namespace != "*" && !names::is_label(namespace) {
            found.malformed(at, namespace, "`{}` is no namespace: at most 63 of `a-z0-9-`, no `-` at an end");
        }
    }
}
