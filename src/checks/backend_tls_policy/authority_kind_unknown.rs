//! `backend-tls-policy/authority-kind-unknown`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{BackendTlsPolicy, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "backend-tls-policy/authority-kind-unknown",
    theme: Theme::Reference,
    since: Release(0, 1),
    actions: Actions::WARN,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("authority_kind_unknown.md"),
    run: Run::BackendTlsPolicy(check),
};

fn check(policy: &BackendTlsPolicy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, reference) in walk::backend_tls_policy::authorities(policy) {
        // The core group serves nothing else that holds certificates and may be public.
        let kind = reference.kind_or("ConfigMap");
        if names::is_kind(kind) && reference.group().is_empty() && !matches!(kind, "ConfigMap" | "Secret") {
            found.not_supported(at.then("kind"), kind, "a {} holds no certificates; a ConfigMap with ca.crt does");
        }
    }
}
