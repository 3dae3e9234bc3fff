//! `ingress/secret-name-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::{Action, Findings};
use crate::kinds::Ingress;
use crate::names;

pub static CHECK: Check = Check {
    id: "ingress/secret-name-malformed",
    // The document does not cover TLS.
    page: include_str!("secret_name_malformed.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::new(Action::Deny, Action::Deny, Action::Off))
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (index, tls) in ingress.spec.tls.iter().enumerate() {
        let secret = tls.secret_name.as_deref().unwrap_or_default();
        if !secret.is_empty() && !names::is_subdomain(secret) {
            let at = At::element("spec.tls[].secretName", [index]);
            found.malformed(at, secret, "`{}` needs a letter or digit at both ends and at each dot; at most 253 bytes");
        }
    }
}
