//! `certificate/expiring`

use jiff::{SignedDuration, Timestamp};

use super::behind::{NEEDS, certificates, show};
use crate::checks::{Actions, Check, Context, Run, When};
use crate::cluster::IssuedCertificateFacts;
use crate::finding::Findings;
use crate::kinds::walk::SecretUses;

pub static CHECK: Check = Check {
    id: "certificate/expiring",
    needs: NEEDS,
    page: include_str!("expiring.md"),
    when: When::Stored,
    run: Run::SecretUses(check),
    ..Check::reference(Actions::WARN)
};

/// How long before its end a certificate is reported.
const NOTICE: SignedDuration = SignedDuration::from_hours(14 * 24);

fn check(uses: &SecretUses<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for secret in uses.secrets() {
        let all = certificates(secret, cx);
        let ends: Option<Vec<_>> =
            all.iter().map(|certificate| Some((end(certificate, cx.now)?, certificate))).collect();
        // Of several, the one that ends last may be in the Secret.
        let Some((end, certificate)) = ends.and_then(|ends| ends.into_iter().max_by_key(|(end, _)| *end)) else {
            continue;
        };
        let template = match end < cx.now {
            true => "the certificate of {other} in Secret `{}` ended at {}: its events say why it is not renewed",
            false => "the certificate of {other} in Secret `{}` ends at {}: its events say why it is not renewed",
        };
        let finding = found.invalid(secret.at.clone(), secret.name, template);
        show(finding, &end.to_string(), "a time", certificate, cx).other(&certificate.object_ref).only_warns();
    }
}

/// When the certificate ends, if that is soon and no renewal is planned. Another check reports a Certificate that is not ready.
fn end(certificate: &IssuedCertificateFacts, now: Timestamp) -> Option<Timestamp> {
    let is_planned = certificate.renewal.is_some_and(|renewal| renewal > now);
    let is_soon = |end: &Timestamp| end.duration_since(now) < NOTICE;
    certificate.ends.filter(is_soon).filter(|_| !is_planned && certificate.unready.is_none())
}
