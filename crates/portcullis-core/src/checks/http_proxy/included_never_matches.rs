//! `http-proxy/included-never-matches`

use hashbrown::{HashMap, HashSet};

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::http_proxy::Traffic;
use crate::kinds::{HttpProxy, Kind, ObjectRef, walk};
use crate::matching::conditions::{Clash, HeaderAsked, HeadersAsked};
use crate::routing::include::Includes;

pub static CHECK: Check = Check {
    id: "http-proxy/included-never-matches",
    needs: &[Kind::HttpProxy],
    page: include_str!("included_never_matches.md"),
    run: Run::HttpProxy(check),
    ..Check::conflict(Actions::WARN)
};

/// Said where no request meets both.
const NEVER: &str = "header `{}` cannot be {} here and, as {other} requires, {}";
/// Said where both are exact, whatever their values.
const SECOND_VALUE: &str = "header `{}` is {} here and, as {other} requires, {}: Contour accepts one exact value";

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if walk::http_proxy::blocks(proxy).any(|block| block.headers().next().is_some()) {
        against_above(proxy, cx, found);
        against_below(proxy, cx, found);
    }
}

/// Warns of what does not go with an include that leads here: nothing of this object is served that way.
fn against_above(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if proxy.spec.virtualhost.is_some() {
        return;
    }
    let above = Includes::new(cx.cluster, cx.this, cx.subject.class).above(Traffic::Requests);
    let mut objects: Vec<_> = above.objects().filter(|facts| facts.headers.is_some()).collect();
    objects.sort_unstable_by(|left, right| left.object_ref.cmp(&right.object_ref));
    let mut asked_above = HeadersAsked::none();
    for facts in objects {
        let leading = facts.edges.iter().filter(|edge| above.leads(&edge.target)).map(|edge| edge.index);
        let leading: HashSet<usize> = leading.collect();
        let asked = facts.headers.iter().flat_map(|headers| headers.of_includes());
        asked
            .filter(|(index, _)| leading.contains(index))
            .for_each(|(_, asked)| asked_above.add(asked, &*facts.object_ref));
    }
    for (at, header) in walk::http_proxy::blocks(proxy).flat_map(|block| block.headers()) {
        let Some(asked) = HeaderAsked::of(header) else { continue };
        match asked_above.clash(asked) {
            Some(Clash::Contradiction(other, by)) => warn(NEVER, (at, &asked), (&other, by), found),
            Some(Clash::SecondValue(other, by)) => warn(SECOND_VALUE, (at, &asked), (&other, by), found),
            None => {}
        }
    }
}

/// Warns of includes that do not go with what the included object asks itself: nothing of it is served under them.
fn against_below(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let includes = Includes::new(cx.cluster, cx.this, cx.subject.class);
    let mut known: HashMap<ObjectRef, HeadersAsked<'_, ()>> = HashMap::new();
    let blocks = walk::http_proxy::blocks(proxy).filter(|block| block.is_include);
    for (block, include) in blocks.zip(&proxy.spec.includes) {
        let target = ObjectRef::new(Kind::HttpProxy, include.namespace_from(cx.namespace()), &include.name);
        if block.headers().next().is_none() {
            continue;
        }
        let below = known.entry(target.clone()).or_insert_with(|| asked_in(&target, &includes, cx));
        for (at, header) in block.headers() {
            let Some(asked) = HeaderAsked::of(header) else { continue };
            match below.clash(asked) {
                Some(Clash::Contradiction(other, ())) => warn(NEVER, (at, &asked), (&other, &target), found),
                Some(Clash::SecondValue(other, ())) => warn(SECOND_VALUE, (at, &asked), (&other, &target), found),
                None => {}
            }
        }
    }
}

/// Warns of what is asked at an address here and does not go with what an object beside it asks.
fn warn(
    message: &'static str,
    (at, asked): (At, &HeaderAsked<'_>),
    (other, by): (&HeaderAsked<'_>, &ObjectRef),
    found: &mut Findings<'_>,
) {
    let finding = found.invalid(at.then(asked.test), &asked.canonical(), message);
    finding.args([asked.name, &*asked.words(), &*other.words()]).other(by).only_warns();
}

/// What an object asks that can be included.
fn asked_in<'c>(target: &ObjectRef, includes: &Includes<'c>, cx: &Context<'c>) -> HeadersAsked<'c, ()> {
    let mut asked = HeadersAsked::none();
    if let Lookup::Found(facts) = cx.cluster.delegation(target)
        && includes.is_beside(facts)
        && facts.root.is_none()
    {
        facts.headers.iter().flat_map(|headers| headers.all()).for_each(|own| asked.add(own, ()));
    }
    asked
}
