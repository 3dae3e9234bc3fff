//! `gateway/tls-reference-not-granted`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::finding::Findings;
use crate::kinds::{Gateway, Kind, walk};
use crate::routing::grant::{self, Referent, Referrer};

pub static CHECK: Check = Check {
    id: "gateway/tls-reference-not-granted",
    needs: &[Kind::ReferenceGrant],
    page: include_str!("tls_reference_not_granted.md"),
    run: Run::Gateway(check),
    ..Check::reference(Actions::ACROSS)
};

fn check(gateway: &Gateway<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let from = Referrer { kind: Kind::Gateway, namespace: cx.namespace() };
    for (at, reference, purpose) in walk::gateway::references(gateway) {
        let Some(core) = purpose.core_kind() else { continue };
        let (namespace, kind) = (reference.namespace_from(cx.namespace()), reference.kind_or(core));
        if namespace == cx.namespace() {
            continue;
        }
        let to = Referent { group: reference.group(), kind, namespace, name: &reference.name };
        if grant::find(from, to, cx.cluster) == Lookup::Absent {
            let wanted = format!("{kind} {namespace}/{}", reference.name);
            found
                .forbidden(
                    at.then("namespace"),
                    &wanted,
                    "no ReferenceGrant in `{}` allows Gateways of `{}` to use {} `{}`",
                )
                .args([namespace, cx.namespace(), kind, &reference.name]);
        }
    }
}
