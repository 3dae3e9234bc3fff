//! `ingress/ssl-redirect-without-tls`

use super::nginx_annotations;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::annotation_value::is_true;
use crate::kinds::{Ingress, Kind};
use crate::matching::Host;
use crate::nginx::annotations;

pub static CHECK: Check = Check {
    id: "ingress/ssl-redirect-without-tls",
    needs: &[Kind::Ingress, Kind::IngressClass],
    page: include_str!("ssl_redirect_without_tls.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::WARN)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let is_set = |name| annotations::find(name, ingress).filter(|(_, value)| is_true(value));
    let Some((key, value)) = is_set("ssl-redirect").filter(|_| ingress.spec.tls.is_empty()) else { return };
    // A canary uses the settings of the Ingress that it belongs to.
    let is_exempt = ["canary", "force-ssl-redirect", "ssl-passthrough"].into_iter().any(|name| is_set(name).is_some());
    if !is_exempt && nginx_annotations::are_read(ingress, cx) && !may_have_certificate(ingress, cx) {
        let at = At::field("metadata.annotations").key(key);
        let template = "without spec.tls nothing is redirected: add spec.tls, or use force-ssl-redirect";
        found.invalid(at, value, template).without_args();
    }
}

/// Whether another Ingress may set a certificate for a host of this one. A rule without a host serves those of all others.
fn may_have_certificate(ingress: &Ingress<'_>, cx: &Context<'_>) -> bool {
    let has_other = |host: &Host<'_>| !cx.cluster.ingress_holders(host).is_empty();
    ingress.spec.rules.iter().any(|rule| match Host::parse(rule.host.as_deref().unwrap_or_default()) {
        Host::Any => true,
        host => has_other(&host) || host.wildcards_above().any(|wildcard| has_other(&wildcard)),
    })
}
