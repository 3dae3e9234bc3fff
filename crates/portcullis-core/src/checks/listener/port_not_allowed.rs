//! `listener/port-not-allowed`

use crate::checks::{Actions, Check, CheckOption, Context, Run};
use crate::config::PortRange;
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/port-not-allowed",
    options: &[CheckOption::RequireOneOf("allow"), CheckOption::RequireOneOf("deny")],
    page: include_str!("port_not_allowed.md"),
    run: Run::Listeners(check),
    ..Check::policy(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let (allow, deny) = (&cx.options.allow, &cx.options.deny);
    for (at, listener) in walk::listener::listeners(listeners) {
        let Some(port) = listener.port else { continue };
        let is_in = |ranges: &Option<Vec<PortRange>>| ranges.iter().flatten().any(|range| range.contains(port));
        if is_in(deny) || (allow.is_some() && !is_in(allow)) {
            found.forbidden(at.then("port"), &port.to_string(), "port {} is not allowed here: use another port");
        }
    }
}
