//! `ingressroute/delegated-prefix`

use super::breach::{self, Routes};
use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind};

pub static CHECK: Check = Check {
    id: "ingressroute/delegated-prefix",
    theme: Theme::Tenancy,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[Kind::IngressRoute],
    options: &[],
    page: include_str!("delegated_prefix.md"),
    run: Run::IngressRoute(check),
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    breach::of_this(Routes::Served, route, cx, found);
    breach::of_targets(Routes::Served, route, cx, found);
}
