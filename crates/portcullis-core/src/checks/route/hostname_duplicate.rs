//! `route/hostname-duplicate`

use hashbrown::HashSet;

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Route, walk};
use crate::matching::Host;

pub static CHECK: Check = Check {
    id: "route/hostname-duplicate",
    page: include_str!("hostname_duplicate.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::WARN)
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    for (at, host) in walk::route::hostnames(route).filter(|(_, host)| !host.is_empty()) {
        if !seen.insert(Host::parse(host)) {
            found.duplicate(at, host, "`{}` stands here twice; once is enough");
        }
    }
}
