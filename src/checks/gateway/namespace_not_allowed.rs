//! `gateway/namespace-not-allowed`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::config::glob;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Listeners;

pub static CHECK: Check = Check {
    id: "gateway/namespace-not-allowed",
    theme: Theme::Tenancy,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("namespace_not_allowed.md"),
    run: Run::Listeners(check),
};

fn check(listeners: &Listeners<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let roots = &cx.config.root_namespaces;
    let Some((_, allowed)) = roots.iter().find(|(kind, _)| kind.as_str() == listeners.kind.api().kind) else { return };
    let namespace = cx.namespace();
    if !allowed.is_empty() && !allowed.iter().any(|pattern| glob(pattern, namespace)) {
        found
            .forbidden(At::field("metadata.namespace"), namespace, "namespace `{}` may not hold a {}")
            .shown([namespace, listeners.kind.api().kind]);
    }
}
