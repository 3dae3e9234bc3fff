//! `route/parent-named-twice`

use hashbrown::HashMap;

use crate::bundle::Channel;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Route, walk};

pub static CHECK: Check = Check {
    id: "route/parent-named-twice",
    page: include_str!("parent_named_twice.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let channel = cx.cluster.schema(route.kind()).bundle.channel;
    let mut spelled = HashMap::new();
    for (at, parent) in walk::route::parent_refs(route) {
        let counted = if channel == Channel::Experimental { parent.port() } else { None };
        let key = (parent.parent_from(cx.namespace()), parent.section(), counted);
        let written = parent.written_parent();
        // `route/parent-duplicate` reports two parentRefs with the same spelling.
        if *spelled.entry(key).or_insert(written) != written {
            found
                .duplicate(at, &parent.name, "`{}` is listed with and without namespace `{}`: remove one")
                .args([&*parent.name, cx.namespace()]);
        }
    }
}
