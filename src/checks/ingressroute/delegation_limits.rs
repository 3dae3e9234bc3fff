//! `ingressroute/delegation-limits`

use crate::checks::{Actions, Check, Context, Release, Run, delegation};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind, ObjectRef, walk};

pub static CHECK: Check = Check {
    id: "ingressroute/delegation-limits",
    theme: Theme::Policy,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[Kind::IngressRoute],
    options: &["most"],
    page: include_str!("delegation_limits.md"),
    run: Run::IngressRoute(check),
};

/// The most objects of a chain of delegations where the configuration says nothing else.
const MOST: u32 = 16;

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let most = cx.options.most.unwrap_or(MOST) as usize;
    let near = delegation::neighbours(route.class(), cx);
    let above = near.height(most);
    let mut told = false;
    for (at, delegate, path) in walk::ingress_route::delegated(route) {
        let target = ObjectRef::new(Kind::IngressRoute, delegate.namespace_from(cx.namespace()), &delegate.name);
        if above + 1 + near.depth(&target, most) > most {
            let most = most.to_string();
            let sentence = "delegating `{}` here makes a chain of more than {} objects";
            found.invalid(at, path.prefix(), sentence).shown([path.prefix(), &most]);
            told = true;
        }
    }
    if !told && above + 1 > most {
        let sentence = "more than {} objects delegate one to the next, down to this one";
        found.invalid(At::field("metadata.name"), &most.to_string(), sentence);
    }
}
