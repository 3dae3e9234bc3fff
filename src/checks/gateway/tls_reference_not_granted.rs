//! `gateway/tls-reference-not-granted`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Lookup;
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::walk::gateway::Purpose;
use crate::kinds::{Gateway, Kind, walk};
use crate::routing::grant::{self, Referent, Referrer};

pub static CHECK: Check = Check {
    id: "gateway/tls-reference-not-granted",
    theme: Theme::Reference,
    since: Release(0, 1),
    actions: Actions::ACROSS,
    stricter: &[],
    enforced: None,
    needs: &[Kind::ReferenceGrant],
    options: &[],
    page: include_str!("tls_reference_not_granted.md"),
    run: Run::Gateway(check),
};

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let from = Referrer { kind: Kind::Gateway, namespace: cx.namespace() };
    for (at, reference, purpose) in walk::gateway::references(gateway) {
        let namespace = reference.namespace_from(cx.namespace());
        if purpose == Purpose::Parameters || namespace == cx.namespace() {
            continue;
        }
        let kind = reference.kind_or("Secret");
        let to = Referent { group: reference.group(), kind, namespace, name: &reference.name };
        if grant::find(from, to, cx.cluster) == Lookup::Absent {
            let finding = found.forbidden(
                at.then("namespace"),
                namespace,
                "no ReferenceGrant in `{}` lets Gateways of `{}` use {} `{}`",
            );
            finding.shown([namespace, cx.namespace(), kind, &reference.name]);
        }
    }
}
