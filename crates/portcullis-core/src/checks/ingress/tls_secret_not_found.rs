//! `ingress/tls-secret-not-found`

use crate::checks::{Actions, Check, Context, Run, secret_for_tls};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Ingress;
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress/tls-secret-not-found",
    page: include_str!("tls_secret_not_found.md"),
    run: Run::Ingress(check),
    ..Check::reference(Actions::WARN)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (index, tls) in ingress.spec.tls.iter().enumerate() {
        let Some(name) = tls.secret_name.as_deref().filter(|name| names::is_subdomain(name)) else { continue };
        let at = At::element("spec.tls[].secretName", [index]);
        if cx.cluster.lacks_tls_secret(cx.namespace(), name)
            && !secret_for_tls::is_issued(&ingress.metadata.annotations)
        {
            found.not_found(at, name, "Secret `{}` not found: the controller serves a default certificate, if any");
        }
    }
}
