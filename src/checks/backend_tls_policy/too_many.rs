//! `backend-tls-policy/too-many`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::BackendTlsPolicy;

pub static CHECK: Check = Check {
    id: "backend-tls-policy/too-many",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("too_many.md"),
    run: Run::BackendTlsPolicy(check),
    ..Check::shape(Actions::DENY)
};

fn check(policy: &BackendTlsPolicy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let (spec, validation) = (&policy.spec, &policy.spec.validation);
    let lists = [
        ("spec.targetRefs", spec.target_refs.len(), 16, "{} targets; a policy has at most 16"),
        ("spec.options", spec.options.iter().count(), 16, "{} options; a policy has at most 16"),
        (
            "spec.validation.caCertificateRefs",
            validation.ca_certificate_refs.len(),
            8,
            "{} authorities; a policy has at most 8",
        ),
        ("spec.validation.subjectAltNames", validation.subject_alt_names.len(), 5, "{} names; a policy has at most 5"),
    ];
    for (at, count, most, template) in lists {
        if count > most {
            found.invalid(At::field(at), &count.to_string(), template);
        }
    }
}
