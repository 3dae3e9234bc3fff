//! `listener/certificate-not-granted`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::finding::Findings;
use crate::kinds::{Kind, Listeners, walk};
use crate::routing::grant::{self, Referent, Referrer};

pub static CHECK: Check = Check {
    id: "listener/certificate-not-granted",
    needs: &[Kind::ReferenceGrant],
    page: include_str!("certificate_not_granted.md"),
    run: Run::Listeners(check),
    ..Check::reference(Actions::ACROSS)
};

fn check(listeners: &Listeners<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, certificate) in walk::listener::certificate_refs(listeners) {
        let namespace = certificate.namespace_from(cx.namespace());
        if namespace == cx.namespace() || certificate.name.is_empty() {
            continue;
        }
        let (group, kind) = (certificate.group(), certificate.kind_or("Secret"));
        let to = Referent { group, kind, namespace, name: &certificate.name };
        let granted = |kind| grant::find(Referrer { kind, namespace: cx.namespace() }, to, cx.cluster);
        if granted(listeners.kind) != Lookup::Absent {
            continue;
        }
        let (at, value) = (at.then("namespace"), format!("{kind} {namespace}/{}", certificate.name));
        let own_kind = listeners.kind.api().kind;
        match granted(sibling(listeners.kind)) {
            Lookup::Found(grant) => {
                let message = "{other} allows {}s, not {}s: add a `from` entry";
                let granted_kind = sibling(listeners.kind).api().kind;
                found.forbidden(at, &value, message).args([granted_kind, own_kind]).other(&grant.object_ref);
            }
            Lookup::Absent | Lookup::Unknown => {
                let used = format!("{kind} {}", certificate.name);
                let message = "no ReferenceGrant in {} allows a {} of {} to use {}";
                found.forbidden(at, &value, message).args([namespace, own_kind, cx.namespace(), &used]);
            }
        }
    }
}

/// The other kind with listeners.
fn sibling(kind: Kind) -> Kind {
    match kind {
        Kind::Gateway => Kind::ListenerSet,
        _ => Kind::Gateway,
    }
}
