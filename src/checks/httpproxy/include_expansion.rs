//! `httpproxy/include-expansion`

use crate::checks::{Actions, Check, Context, Operation, Release, Run, Takes};
use crate::cluster::delegation_facts::DelegationFacts;
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::http_proxy::Traffic;
use crate::kinds::{HttpProxy, Kind};
use crate::routing::Includes;

/// The most routes of a root, unless the configuration says otherwise: no proxy that people write comes near.
const MOST: u32 = 10_000;

pub static CHECK: Check = Check {
    id: "httpproxy/include-expansion",
    theme: Theme::Policy,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[Kind::HttpProxy],
    options: &[Takes::May("most")],
    page: include_str!("include_expansion.md"),
    run: Run::HttpProxy(check),
};

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let most = u64::from(cx.options.most.unwrap_or(MOST));
    let includes = Includes::new(cx.cluster, cx.this, cx.subject.class);
    let above = includes.above(Traffic::Requests);
    let own = DelegationFacts::of_http_proxy(proxy);
    let is_root = |facts: &DelegationFacts| {
        facts.root.is_some() && cx.config.may_hold_roots(Kind::HttpProxy.api().kind, &facts.place.namespace)
    };
    // Of what is stored the root itself is judged too.
    let is_judged = cx.operation != Operation::Stored;
    let roots = above.objects().filter(|facts| is_judged && is_root(facts)).map(|facts| &*facts.place);
    let mut roots: Vec<_> = roots.collect();
    roots.sort_unstable();
    let at = At::field("spec");
    for (place, routes) in includes.routes([cx.this].into_iter().chain(roots), &own) {
        if routes <= most {
            continue;
        }
        let (count, most) = (count(routes), most.to_string());
        if place == cx.this {
            let sentence = "{} routes come together here, and a root has at most {}";
            found.invalid(at, "", sentence).shown([&count, &most]);
        } else {
            let sentence = "{} routes would come together in {other}, which has at most {}";
            found.invalid(at, "", sentence).shown([&count, &most]).other(place);
        }
    }
}

/// The number to show; what no number holds is more than the greatest.
fn count(routes: u64) -> String {
    if routes == u64::MAX { format!("more than {routes}") } else { routes.to_string() }
}
