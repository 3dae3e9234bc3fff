//! `certificate/host-uncovered`

use super::behind::{NEEDS, certificates, show};
use crate::checks::{Actions, Check, Context, Operation, Run, secret_for_tls};
use crate::finding::Findings;
use crate::kinds::walk::SecretUses;
use crate::matching::Host;

pub static CHECK: Check = Check {
    id: "certificate/host-uncovered",
    needs: NEEDS,
    page: include_str!("host_uncovered.md"),
    run: Run::SecretUses(check),
    // Only warns, since the Certificate may be changed after the object that needs it.
    ..Check::reference(Actions::WARN)
};

fn check(uses: &SecretUses<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // For such an object, cert-manager changes the Certificate after the write. Where a stored object is not covered, it has refused to.
    if cx.operation != Operation::Stored && secret_for_tls::is_issued(uses.annotations) {
        return;
    }
    for used in uses.all.iter().filter(|used| !used.is_partial && !used.hosts.is_empty()) {
        let all: Vec<_> = used.secrets.iter().map(|secret| certificates(secret, cx)).collect();
        // A certificate of which nothing is known may cover the host.
        let Some(first) = all.first().and_then(|of_first| of_first.first()) else { continue };
        if all.iter().any(Vec::is_empty) {
            continue;
        }
        for (at, written) in &used.hosts {
            let host = Host::parse(written);
            let is_covered = || all.iter().flatten().any(|certificate| certificate.may_cover(&host));
            if host == Host::Any || !host.is_well_formed() || is_covered() {
                continue;
            }
            let (host, names) = (host.to_string(), first.names_text());
            let template = match names.is_empty() {
                true => "host {} is not covered by {other}, which has no DNS name: add the host to its dnsNames",
                false => "host {} is not covered by {other}, whose names are {}: add the host to its dnsNames",
            };
            let finding = found.invalid(*at, &host, template);
            show(finding, &names, "others", first, cx).other(&first.object_ref).only_warns();
        }
    }
}
