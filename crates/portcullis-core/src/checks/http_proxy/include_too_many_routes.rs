//! `http-proxy/include-too-many-routes`

use std::collections::BTreeMap;

use crate::checks::{Actions, Check, CheckOption, Context, Operation, OptionDefault, Run};
use crate::cluster::delegation_facts::DelegationFacts;
use crate::field::At;
use crate::finding::{Finding, Findings};
use crate::kinds::http_proxy::Traffic;
use crate::kinds::{HttpProxy, Kind, ObjectRef};
use crate::routing::Includes;

/// The default of `maxRoutes`: the maximum number of routes of a root, far more than any proxy needs.
const MOST: u32 = 10_000;

pub static CHECK: Check = Check {
    id: "http-proxy/include-too-many-routes",
    needs: &[Kind::HttpProxy],
    options: &[CheckOption::Optional("maxRoutes", OptionDefault::Number(MOST))],
    page: include_str!("include_too_many_routes.md"),
    run: Run::HttpProxy(check),
    ..Check::policy(Actions::DENY)
};

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let most = u64::from(cx.options.max_routes.unwrap_or(MOST));
    let includes = Includes::new(cx.cluster, cx.this, cx.subject.class);
    let above = includes.above(Traffic::Requests);
    let own = DelegationFacts::of_http_proxy(proxy);
    let is_here = |object_ref: &ObjectRef| object_ref.namespace == cx.namespace();
    let is_root = |facts: &DelegationFacts| {
        facts.root.is_some() && cx.config.may_hold_roots(Kind::HttpProxy.api().kind, &facts.object_ref.namespace)
    };
    // Each stored root is checked by itself, so it is not reported again for the objects below it.
    let is_limited =
        |facts: &&DelegationFacts| cx.operation != Operation::Stored && (is_root(facts) || is_here(&facts.object_ref));
    let limited = above.objects().filter(is_limited).map(|facts| (&*facts.object_ref, is_root(facts)));
    let limited: BTreeMap<&ObjectRef, bool> = limited.chain([(cx.this, true)]).collect();
    for (object_ref, routes) in includes.routes(limited.keys().copied(), &own) {
        if routes <= most {
            continue;
        }
        // An include needs no consent, so a write is only denied for the routes that objects of its own namespace
        // multiply.
        let is_own_work = is_here(object_ref) && includes.own_routes(object_ref, &own, most) > most;
        if is_own_work || limited.get(object_ref).is_some_and(|is_root| *is_root) {
            let finding = report(object_ref, (routes, most), cx, found);
            if !is_own_work {
                finding.only_warns();
            }
        }
    }
}

fn report<'f>(
    object_ref: &ObjectRef,
    (routes, most): (u64, u64),
    cx: &Context<'_>,
    found: &'f mut Findings<'_>,
) -> &'f mut Finding {
    let (at, count, most) = (At::field("spec"), count(routes), most.to_string());
    if object_ref == cx.this {
        let message = "the includes add up to {} routes here; at most {} are allowed";
        found.invalid(at, "", message).args([&count, &most])
    } else {
        let message = "this would bring the routes of {other} to {}; at most {} are allowed";
        found.invalid(at, "", message).args([&count, &most]).other(object_ref)
    }
}

/// The number to show. Counts saturate at `u64::MAX`.
fn count(routes: u64) -> String {
    if routes == u64::MAX { format!("more than {routes}") } else { routes.to_string() }
}
