//! `tls-certificate-delegation/star-not-alone`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{TlsCertificateDelegation, walk};

pub static CHECK: Check = Check {
    id: "tls-certificate-delegation/star-not-alone",
    page: include_str!("star_not_alone.md"),
    run: Run::TlsCertificateDelegation(check),
    ..Check::shape(Actions::WARN)
};

fn check(delegation: &TlsCertificateDelegation<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, delegated) in walk::certificates::delegated(delegation) {
        let has_star = delegated.target_namespaces.iter().any(|namespace| &**namespace == "*");
        if has_star && !delegated.is_for_all() {
            let message = "`*` beside others means nothing: `{}` is lent to those only";
            found.invalid(at.then("targetNamespaces"), &delegated.secret_name, message);
        }
    }
}
