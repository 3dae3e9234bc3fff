//! `ingressroute/virtualhost-role-change`

use crate::checks::{Actions, Check, Context, Release, Run, delegation};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind, ObjectRef, walk};

pub static CHECK: Check = Check {
    id: "ingressroute/virtualhost-role-change",
    theme: Theme::Conflict,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[Kind::IngressRoute],
    options: &[],
    page: include_str!("virtualhost_role_change.md"),
    run: Run::IngressRouteChange(check),
};

fn check(route: &IngressRoute<'_>, old: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let near = delegation::neighbours(route.class(), cx);
    match (&old.spec.virtualhost, &route.spec.virtualhost) {
        (None, Some(virtualhost)) => {
            if let Some((delegator, _)) = near.live_edges().first() {
                let sentence = "{other} delegates to this object, and breaks if it is a root";
                found.invalid(At::field("spec.virtualhost"), &virtualhost.fqdn, sentence).other(&delegator.place);
            }
        }
        (Some(virtualhost), None) => {
            let targets = walk::ingress_route::delegated(route).map(|(_, delegate, _)| {
                ObjectRef::new(Kind::IngressRoute, delegate.namespace_from(cx.namespace()), &delegate.name)
            });
            if let Some(child) = targets.into_iter().find(|target| near.other(target).is_some()) {
                let sentence = "{other} serves part of {}, which then has no root";
                let finding = found.invalid(At::field("spec.virtualhost"), &virtualhost.fqdn, sentence);
                finding.other(&child).only_warns();
            }
        }
        _ => {}
    }
}
