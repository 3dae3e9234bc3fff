//! `ingress-route/tls-certificate-mismatch`

use super::tls_secret;
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::DataEntry;
use crate::cluster::Lookup;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressRoute;
use crate::matching::{Depth, Host};

pub static CHECK: Check = Check {
    id: "ingress-route/tls-certificate-mismatch",
    page: include_str!("tls_certificate_mismatch.md"),
    run: Run::IngressRoute(check),
    ..Check::reference(Actions::WARN)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some((name, Lookup::Found(secret))) = tls_secret::named(route, cx) else { return };
    let fqdn = route.spec.virtualhost.as_ref().map(|virtualhost| Host::parse(&virtualhost.fqdn));
    let (DataEntry::Read(names), Some(host @ Host::Precise(_))) = (&secret.certificate, fqdn) else { return };
    if !names.iter().any(|own| Host::parse(own).covers(&host, Depth::OneLabel)) {
        let message = "the certificate in Secret `{}` is for {}, not for {}";
        let listed = if names.is_empty() { "no host".to_owned() } else { names.join(", ") };
        let at = At::field("spec.virtualhost.tls.secretName");
        found.invalid(at, name, message).args([name, &listed, &host.to_string()]);
    }
}
