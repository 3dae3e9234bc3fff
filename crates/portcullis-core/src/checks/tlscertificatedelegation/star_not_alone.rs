//! `tlscertificatedelegation/star-not-alone`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{TlsCertificateDelegation, walk};

pub static CHECK: Check = Check {
    id: "tlscertificatedelegation/star-not-alone",
    page: include_str!("star_not_alone.md"),
    run: Run::TlsCertificateDelegation(check),
    ..Check::shape(Actions::WARN)
};

fn check(delegation: &TlsCertificateDelegation<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, lent) in walk::certificates::lent(delegation) {
        let has_star = lent.target_namespaces.iter().any(|namespace| &**namespace == "*");
        if has_star && !lent.is_for_all() {
            let sentence = "`*` beside others means nothing: `{}` is lent to those only";
            found.invalid(at.then("targetNamespaces"), &lent.secret_name, sentence);
        }
    }
}
