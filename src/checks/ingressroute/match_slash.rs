//! `ingressroute/match-slash`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{IngressRoute, walk};

pub static CHECK: Check = Check {
    id: "ingressroute/match-slash",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("match_slash.md"),
    run: Run::IngressRoute(check),
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path) in walk::ingress_route::routes(route) {
        match path.prefix() {
            "" => {
                found.required(at.then("match"), "a route needs the prefix of its paths, such as `/` for all");
            }
            prefix if !prefix.starts_with('/') => {
                found.invalid(at.then("match"), prefix, "`{}` must start with `/`: no path starts otherwise");
            }
            _ => {}
        }
    }
}
