//! `listener/tls-secret-not-found`

use crate::checks::{Actions, Check, Context, Run, secret_for_tls};
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/tls-secret-not-found",
    page: include_str!("tls_secret_not_found.md"),
    run: Run::Listeners(check),
    ..Check::reference(Actions::WARN)
};

fn check(listeners: &Listeners<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, target) in walk::listener::certificate_refs(listeners) {
        let (namespace, name) = (target.namespace_from(cx.namespace()), &*target.name);
        if (target.group(), target.kind_or("Secret")) != ("", "Secret") || name.is_empty() {
            continue;
        }
        if cx.cluster.lacks_tls_secret(namespace, name) && !secret_for_tls::is_issued(&listeners.metadata.annotations) {
            let template = "Secret `{}` not found: the listener has no certificate until it exists";
            found.not_found(at.child("name"), name, template);
        }
    }
}
