//! `ingressroute/tls-min-version`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressRoute;
use crate::kinds::ingress_route::TLS_VERSIONS;

pub static CHECK: Check = Check {
    id: "ingressroute/tls-min-version",
    page: include_str!("tls_min_version.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let tls = route.spec.virtualhost.as_ref().and_then(|virtualhost| virtualhost.tls.as_ref());
    let Some(version) = tls.and_then(|tls| tls.minimum_protocol_version.as_ref()) else { return };
    let at = At::field("spec.virtualhost.tls.minimumProtocolVersion");
    match &*version.text {
        "" => {}
        known if TLS_VERSIONS.contains(&known) => {
            if version.is_bare {
                let sentence = "{} is a number: put it in quotes, as other readers take only text";
                found.invalid(at, known, sentence).only_warns();
            }
        }
        text => {
            found.not_supported(at, text, "`{}` is none of \"1.1\", \"1.2\" and \"1.3\"");
        }
    }
}
