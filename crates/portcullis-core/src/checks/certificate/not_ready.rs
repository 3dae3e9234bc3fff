//! `certificate/not-ready`

use super::behind::{NEEDS, certificates, show};
use crate::checks::{Actions, Check, Context, Run, When};
use crate::finding::Findings;
use crate::kinds::walk::SecretUses;

pub static CHECK: Check = Check {
    id: "certificate/not-ready",
    needs: NEEDS,
    page: include_str!("not_ready.md"),
    // Most objects are created before their Certificates are ready.
    when: When::Stored,
    run: Run::SecretUses(check),
    ..Check::reference(Actions::WARN)
};

fn check(uses: &SecretUses<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for secret in uses.secrets() {
        let all = certificates(secret, cx);
        // One that is ready fills the Secret.
        if all.iter().any(|certificate| certificate.unready.is_none()) {
            continue;
        }
        for (certificate, reason) in all.iter().filter_map(|own| Some((own, own.unready.as_deref()?))).take(1) {
            let template = "{other} for Secret `{}` is not ready ({}): its events say why";
            let finding = found.invalid(secret.at.clone(), secret.name, template);
            show(finding, reason, "a reason", certificate, cx).other(&certificate.object_ref).only_warns();
        }
    }
}
