//! `backend-tls-policy/authority-kind-unknown`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::extension;
use crate::kinds::{BackendTlsPolicy, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "backend-tls-policy/authority-kind-unknown",
    page: include_str!("authority_kind_unknown.md"),
    run: Run::BackendTlsPolicy(check),
    ..Check::reference(Actions::WARN)
};

fn check(policy: &BackendTlsPolicy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, reference) in walk::backend_tls_policy::authorities(policy) {
        let (group, kind) = (reference.group(), reference.kind_or("ConfigMap"));
        // The form of a kind is another fault, and what an implementation's own kinds hold only it knows.
        if !names::is_kind(kind) || group.contains('.') {
            continue;
        }
        match (group, kind, extension::group_of(kind)) {
            ("", "ConfigMap" | "Secret", _) => {}
            (_, "ConfigMap" | "Secret", _) => {
                found.invalid(at.then("group"), group, "a {} is of the group \"\", not `{}`").shown([kind, group]);
            }
            (_, _, Some(own)) => {
                let sentence = "the kind {} is of the group `{}`, not `{}`";
                found.invalid(at.then("group"), group, sentence).shown([kind, own, group]);
            }
            // The core group serves nothing else that holds certificates and may be public.
            _ => {
                found.not_supported(at.then("kind"), kind, "a {} holds no certificates; a ConfigMap with ca.crt does");
            }
        }
    }
}
