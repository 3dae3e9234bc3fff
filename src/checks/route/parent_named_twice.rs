//! `route/parent-named-twice`

use hashbrown::HashMap;

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Channel;
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Route, walk};

pub static CHECK: Check = Check {
    id: "route/parent-named-twice",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("parent_named_twice.md"),
    run: Run::Route(check),
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let channel = cx.cluster.schema(route.kind()).bundle.channel;
    let mut spelled = HashMap::new();
    for (at, parent) in walk::route::parent_refs(route) {
        let counted = if channel == Channel::Experimental { parent.port() } else { None };
        let key = (parent.parent_from(cx.namespace()), parent.section(), counted);
        let written = parent.written_parent();
        // One that is spelled alike is another fault.
        if *spelled.entry(key).or_insert(written) != written {
            found
                .duplicate(at, &parent.name, "`{}` is named with and without the namespace `{}`: it is one parent")
                .shown([&*parent.name, cx.namespace()]);
        }
    }
}
