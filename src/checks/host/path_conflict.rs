//! `host/path-conflict`

use super::is_handed_over;
use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::IngressFacts;
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::{Claims, Host, Mark};

pub static CHECK: Check = Check {
    id: "host/path-conflict",
    theme: Theme::Conflict,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[Kind::Ingress],
    options: &[],
    page: include_str!("path_conflict.md"),
    run: Run::Claims(check),
};

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let own = cx.namespace();
    for route in &claims.routes {
        let Some(path) = &route.path else { continue };
        let others = cx.cluster.ingresses_with_route(claims.class, &route.host, path);
        let others = others.filter(|other| !consents(claims.mark, other, &route.host, cx));
        // A stranger before a neighbour, then by name: the same answer in any order of the index.
        let Some(other) = others.min_by_key(|other| (other.place.namespace == own, &other.place)) else { continue };
        let identity = format!("{} {} {path}", route.host, path.kind);
        let class = claims.class.map_or("no class".to_owned(), |class| format!("class {class}"));
        let finding = found
            .duplicate(route.at.then("path"), &identity, "path {} on {} is already served by {other} ({})")
            .shown([path.text.as_ref(), &route.host.to_string(), &class])
            .other(&other.place);
        if other.place.namespace == own {
            finding.only_warns();
        }
    }
}

/// Whether the two may share a route: canaries and ACME solvers at home, and what the platform hands over. A tenant writes those marks
/// itself, so between namespaces they say nothing.
fn consents(mark: Mark, other: &IngressFacts, host: &Host<'_>, cx: &Context<'_>) -> bool {
    match other.place.namespace == cx.namespace() {
        true => mark != Mark::None || other.mark != Mark::None,
        false => is_handed_over(host, &other.place.namespace, cx),
    }
}
