//! `http-proxy/included-never-matches`

use hashbrown::{HashMap, HashSet};

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::http_proxy::Traffic;
use crate::kinds::{HttpProxy, Kind, ObjectRef, walk};
use crate::matching::conditions::{HeaderConflict, HeaderTest, HeaderTests};
use crate::routing::include::Includes;

pub static CHECK: Check = Check {
    id: "http-proxy/included-never-matches",
    needs: &[Kind::HttpProxy],
    page: include_str!("included_never_matches.md"),
    run: Run::HttpProxy(check),
    ..Check::conflict(Actions::WARN)
};

/// The message if no request can meet both conditions.
const NEVER: &str = "header `{}` cannot be {} here and, as {other} requires, {}";
/// The message if both conditions are exact, even if their values are equal.
const SECOND_VALUE: &str =
    "the conditions on header `{}` cannot both match: {} here, {} in {other}; remove one of them";

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if walk::http_proxy::blocks(proxy).any(|block| block.headers().next().is_some()) {
        against_above(proxy, cx, found);
        against_below(proxy, cx, found);
    }
}

/// Warns about header conditions that contradict an include above this object. Nothing of this object is served through
/// that include.
fn against_above(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if proxy.spec.virtualhost.is_some() {
        return;
    }
    let above = Includes::new(cx.cluster, cx.this, cx.subject.class).above(Traffic::Requests);
    let mut objects: Vec<_> = above.objects().filter(|facts| facts.headers.is_some()).collect();
    objects.sort_unstable_by(|left, right| left.object_ref.cmp(&right.object_ref));
    let mut tests_above = HeaderTests::none();
    for facts in objects {
        let leading = facts.edges.iter().filter(|edge| above.leads(&edge.target)).map(|edge| edge.index);
        let leading: HashSet<usize> = leading.collect();
        let tests = facts.headers.iter().flat_map(|headers| headers.of_includes());
        tests
            .filter(|(index, _)| leading.contains(index))
            .for_each(|(_, condition)| tests_above.add(condition, &*facts.object_ref));
    }
    for (at, header) in walk::http_proxy::blocks(proxy).flat_map(|block| block.headers()) {
        let Some(condition) = HeaderTest::of(header) else { continue };
        match tests_above.conflict(condition) {
            Some(HeaderConflict::Contradiction(other, by)) => warn(NEVER, (at, &condition), (&other, by), found),
            Some(HeaderConflict::SecondValue(other, by)) => warn(SECOND_VALUE, (at, &condition), (&other, by), found),
            None => {}
        }
    }
}

/// Warns about includes that contradict a header condition of the included object. Nothing of that object is served
/// through them.
fn against_below(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let includes = Includes::new(cx.cluster, cx.this, cx.subject.class);
    let mut known: HashMap<ObjectRef, HeaderTests<'_, ()>> = HashMap::new();
    let blocks = walk::http_proxy::blocks(proxy).filter(|block| block.is_include);
    for (block, include) in blocks.zip(&proxy.spec.includes) {
        let target = ObjectRef::new(Kind::HttpProxy, include.namespace_from(cx.namespace()), &include.name);
        if block.headers().next().is_none() {
            continue;
        }
        let below = known.entry(target.clone()).or_insert_with(|| tests_in(&target, &includes, cx));
        for (at, header) in block.headers() {
            let Some(condition) = HeaderTest::of(header) else { continue };
            match below.conflict(condition) {
                Some(HeaderConflict::Contradiction(other, ())) => {
                    warn(NEVER, (at, &condition), (&other, &target), found)
                }
                Some(HeaderConflict::SecondValue(other, ())) => {
                    warn(SECOND_VALUE, (at, &condition), (&other, &target), found)
                }
                None => {}
            }
        }
    }
}

/// Warns about the condition `condition` at `at`, which contradicts the condition `other` of the object `by`.
fn warn(
    message: &'static str,
    (at, condition): (At, &HeaderTest<'_>),
    (other, by): (&HeaderTest<'_>, &ObjectRef),
    found: &mut Findings<'_>,
) {
    let finding = found.invalid(at.then(condition.test), &condition.canonical(), message);
    finding.args([condition.name, &*condition.words(), &*other.words()]).other(by).only_warns();
}

/// The header conditions of `target`, if it can be included.
fn tests_in<'c>(target: &ObjectRef, includes: &Includes<'c>, cx: &Context<'c>) -> HeaderTests<'c, ()> {
    let mut tests = HeaderTests::none();
    if let Lookup::Found(facts) = cx.cluster.delegation(target)
        && includes.has_same_class(facts)
        && facts.root.is_none()
    {
        facts.headers.iter().flat_map(|headers| headers.all()).for_each(|own| tests.add(own, ()));
    }
    tests
}
