//! `backend-tls-policy/subject-alt-name-mismatch`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{BackendTlsPolicy, walk};

pub static CHECK: Check = Check {
    id: "backend-tls-policy/subject-alt-name-mismatch",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("subject_alt_name_mismatch.md"),
    run: Run::BackendTlsPolicy(check),
    ..Check::shape(Actions::DENY)
};

fn check(policy: &BackendTlsPolicy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, name) in walk::backend_tls_policy::subject_alt_names(policy) {
        let hostname = name.hostname.as_deref().filter(|hostname| !hostname.is_empty());
        let uri = name.uri.as_deref().filter(|uri| !uri.is_empty());
        let (own, field, other) = match &*name.kind {
            "Hostname" => (hostname, "hostname", uri.map(|uri| ("uri", uri))),
            "URI" => (uri, "uri", hostname.map(|hostname| ("hostname", hostname))),
            // What the type is to be is not known.
            _ => continue,
        };
        if own.is_none() {
            found.required(at.then(field), "the type is {} and the field of that name is missing").shown([&*name.kind]);
        }
        if let Some((field, value)) = other {
            let template = "`{}` has no place here: the type is {}";
            found.forbidden(at.then(field), value, template).shown([value, &*name.kind]);
        }
    }
}
