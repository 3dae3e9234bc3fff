//! `ingressroute/fqdn-unique`

use crate::checks::{Actions, Check, Context, Release, Run, delegation};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind};

pub static CHECK: Check = Check {
    id: "ingressroute/fqdn-unique",
    theme: Theme::Conflict,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[Kind::IngressRoute],
    options: &[],
    page: include_str!("fqdn_unique.md"),
    run: Run::IngressRoute(check),
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if let Some(virtualhost) = &route.spec.virtualhost {
        delegation::host_taken(Kind::IngressRoute, route.class(), &virtualhost.fqdn, cx, found);
    }
}
