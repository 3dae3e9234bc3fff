//! `route/port-out-of-range`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::names;

pub static CHECK: Check = Check {
    id: "route/port-out-of-range",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[],
    options: &[],
    page: include_str!("port_out_of_range.md"),
    run: Run::RouteParts(check),
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for reference in route.references() {
        let Some(port) = reference.port.filter(|port| !names::is_port(*port)) else { continue };
        found.invalid(reference.at.then("port"), &port.to_string(), "{} is no port: 1 to 65535");
    }
}
