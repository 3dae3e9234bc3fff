//! `route/parent-refs-mixed`

use hashbrown::HashSet;

use crate::bundle::{Channel, Enforced};
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::{Cause, Findings};
use crate::kinds::{Route, walk};

pub static CHECK: Check = Check {
    id: "route/parent-refs-mixed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("parent_refs_mixed.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // In the standard channel, a port does not distinguish two parentRefs.
    let counts_ports = cx.cluster.schema(route.kind()).bundle.channel == Channel::Experimental;
    let (mut with_section, mut with_port) = (HashSet::new(), HashSet::new());
    for parent in route.parent_refs() {
        let is_section = parent.section().is_some();
        if is_section {
            with_section.insert(parent.written_parent());
        }
        if counts_ports && parent.port().is_some() {
            with_port.insert((parent.written_parent(), is_section));
        }
    }
    for (at, parent) in walk::route::parent_refs(route) {
        let (written, is_section) = (parent.written_parent(), parent.section().is_some());
        if !is_section && with_section.contains(&written) {
            let template = "another parentRef to `{}` sets sectionName: set it here too";
            found.add(Cause::Required, at.then("sectionName"), &parent.name, template);
        } else if parent.port().is_none() && with_port.contains(&(written, is_section)) {
            let template = "another parentRef to `{}` sets port: set it here too";
            found.add(Cause::Required, at.then("port"), &parent.name, template);
        }
    }
}
