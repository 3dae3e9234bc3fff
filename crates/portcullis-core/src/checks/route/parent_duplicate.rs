//! `route/parent-duplicate`

use hashbrown::HashMap;

use crate::bundle::{Channel, Enforced};
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Route, walk};

pub static CHECK: Check = Check {
    id: "route/parent-duplicate",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("parent_duplicate.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let channel = cx.cluster.schema(route.kind()).bundle.channel;
    let mut ports = HashMap::new();
    for (at, parent) in walk::route::parent_refs(route) {
        // In the standard channel, a port does not distinguish two parentRefs.
        let counted = if channel == Channel::Experimental { parent.port() } else { None };
        let key = (parent.written_parent(), parent.section(), counted);
        let Some(first) = ports.insert(key, parent.port()) else { continue };
        let (section, template) = match parent.section() {
            _ if first != parent.port() => ("", "two parentRefs to `{}` differ only by port: set sectionName on both"),
            Some(section) => (section, "`{}` with section `{}` is listed twice: remove one"),
            None => ("", "`{}` is listed twice: remove one, or set sectionName on both"),
        };
        let value = [&*parent.name, section].join("/");
        found.duplicate(at, value.trim_end_matches('/'), template).args([&*parent.name, section]);
    }
}
