//! `backend-tls-policy/subject-alt-name-type-unknown`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{BackendTlsPolicy, walk};

pub static CHECK: Check = Check {
    id: "backend-tls-policy/subject-alt-name-type-unknown",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("subject_alt_name_type_unknown.md"),
    run: Run::BackendTlsPolicy(check),
    ..Check::shape(Actions::DENY)
};

fn check(policy: &BackendTlsPolicy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, name) in walk::backend_tls_policy::subject_alt_names(policy) {
        let at = at.then("type");
        match &*name.kind {
            "Hostname" | "URI" => continue,
            "" => found.required(at, "the type must be given: Hostname or URI"),
            other => found.not_supported(at, other, "`{}` is no type of a name; it is Hostname or URI"),
        };
    }
}
