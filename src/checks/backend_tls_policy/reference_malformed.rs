//! `backend-tls-policy/reference-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{BackendTlsPolicy, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "backend-tls-policy/reference-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("reference_malformed.md"),
    run: Run::BackendTlsPolicy(check),
    ..Check::shape(Actions::DENY)
};

fn check(policy: &BackendTlsPolicy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, reference) in walk::backend_tls_policy::references(policy) {
        if let Some(group) = reference.group.as_deref().filter(|group| !names::is_group(group)) {
            found.malformed(at.then("group"), group, "`{}` is no API group");
        }
        if let Some(kind) = reference.kind.as_deref().filter(|kind| !kind.is_empty() && !names::is_kind(kind)) {
            found.invalid(at.then("kind"), kind, "`{}` is no kind; one is written like `Service`");
        }
        if names::is_too_long(&reference.name) {
            found.too_long(at.then("name"), &reference.name, "the name `{}` has more than 253 characters");
        }
        if let Some(section) = reference.section_name.as_deref().filter(|section| !names::is_subdomain(section)) {
            found.malformed(at.then("sectionName"), section, "`{}` is no name of a port");
        }
    }
}
