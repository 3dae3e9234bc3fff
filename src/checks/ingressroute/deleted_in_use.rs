//! `ingressroute/deleted-in-use`

use crate::checks::{Actions, Check, Context, Release, Run, delegation};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind};

pub static CHECK: Check = Check {
    id: "ingressroute/deleted-in-use",
    theme: Theme::Reference,
    since: Release(0, 1),
    // A deletion is never refused, whatever the configuration says.
    actions: Actions::WARN,
    stricter: &[],
    enforced: None,
    needs: &[Kind::IngressRoute],
    options: &[],
    page: include_str!("deleted_in_use.md"),
    run: Run::IngressRouteDeletion(check),
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let edges = delegation::neighbours(route.class(), cx).live_edges();
    let Some((delegator, edge)) = edges.first() else { return };
    let sentence = "{other} delegates `{}` to this object: then nobody answers that";
    let finding = found.forbidden(At::field("metadata.name"), route.metadata.name(), sentence);
    finding.shown([&edge.prefix]).other(&delegator.place).only_warns();
}
