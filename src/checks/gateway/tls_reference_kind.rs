//! `gateway/tls-reference-kind`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Gateway, walk};

pub static CHECK: Check = Check {
    id: "gateway/tls-reference-kind",
    page: include_str!("tls_reference_kind.md"),
    run: Run::Gateway(check),
    ..Check::reference(Actions::WARN)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, reference, purpose) in walk::gateway::references(gateway) {
        let Some(core) = purpose.core_kind() else { continue };
        let kind = reference.kind_or(core);
        if !kind.is_empty() && (reference.group(), kind) != ("", core) {
            found
                .not_supported(at.then("kind"), kind, "{} is for some controllers only; every one reads a {}")
                .shown([kind, core]);
        }
    }
}
