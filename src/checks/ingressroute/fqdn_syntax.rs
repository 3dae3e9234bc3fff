//! `ingressroute/fqdn-syntax`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressRoute;
use crate::names;

pub static CHECK: Check = Check {
    id: "ingressroute/fqdn-syntax",
    page: include_str!("fqdn_syntax.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

/// The most characters between two dots.
const LABEL: usize = 63;

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(virtualhost) = &route.spec.virtualhost else { return };
    let host = virtualhost.fqdn.to_ascii_lowercase();
    if host.trim().is_empty() || host.contains('*') {
        return;
    }
    let at = At::field("spec.virtualhost.fqdn");
    match host.split('.').find(|label| label.len() > LABEL) {
        Some(label) => {
            found.invalid(at, &host, "`{}` is longer than the 63 characters that DNS has for a label").shown([label]);
        }
        None if !names::is_subdomain(&host) => {
            found.malformed(
                at,
                &host,
                "`{}` is no host: words of letters, digits and `-`, with a dot between each two",
            );
        }
        None => {}
    }
}
