//! `ingress-route/https-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::{Cause, Findings};
use crate::kinds::{IngressRoute, walk};
use crate::matching::mark::may_be_challenge;

pub static CHECK: Check = Check {
    id: "ingress-route/https-missing",
    page: include_str!("https_missing.md"),
    requires_https: true,
    run: Run::IngressRoute(check),
    ..Check::policy(Actions::OFF)
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if let Some(plain) = route.spec.virtualhost.as_ref().filter(|virtualhost| virtualhost.tls.is_none()) {
        let template = "host {} is served over plain HTTP: set tls with the Secret of its certificate";
        found.add(Cause::Required, At::field("spec.virtualhost.tls"), &plain.fqdn, template);
        return;
    }
    let permitted = walk::ingress_route::routes(route).filter(|(_, path)| path.permit_insecure);
    for (at, path) in permitted.filter(|(_, path)| !may_be_challenge(path.prefix())) {
        let template = "`{}` is also served over plain HTTP: remove permitInsecure";
        found.forbidden(at.then("permitInsecure"), path.prefix(), template);
    }
}
