//! `ingressroute/root-namespace`

use crate::checks::{Actions, Check, Context, Release, Run, delegation};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind};

pub static CHECK: Check = Check {
    id: "ingressroute/root-namespace",
    theme: Theme::Tenancy,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("root_namespace.md"),
    run: Run::IngressRoute(check),
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if route.spec.virtualhost.is_some() {
        delegation::root_outside(Kind::IngressRoute, cx, found);
    }
}
