//! `ingressroute/route-action`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{IngressRoute, walk};

pub static CHECK: Check = Check {
    id: "ingressroute/route-action",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("route_action.md"),
    run: Run::IngressRoute(check),
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path) in walk::ingress_route::routes(route) {
        match (path.services().1.is_empty(), &path.delegate) {
            (true, None) => {
                let sentence = "route `{}` leads nowhere: give it services, or delegate it";
                found.invalid(at, path.prefix(), sentence);
            }
            (false, Some(_)) => {
                let sentence = "route `{}` has services and delegates: leave one of the two out";
                found.invalid(at, path.prefix(), sentence);
            }
            _ => {}
        }
    }
}
