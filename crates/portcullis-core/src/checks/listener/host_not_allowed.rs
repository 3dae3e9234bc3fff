//! `listener/host-not-allowed`

use crate::checks::{Actions, Check, CheckOption, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};
use crate::matching::Host;
use crate::matching::host::Depth;

pub static CHECK: Check = Check {
    id: "listener/host-not-allowed",
    options: &[CheckOption::RequireOneOf("hosts")],
    page: include_str!("host_not_allowed.md"),
    run: Run::Listeners(check),
    ..Check::policy(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(reserved) = &cx.options.hosts else { return };
    for (at, listener) in walk::listener::listeners(listeners).filter(|(_, listener)| listener.has_hosts()) {
        let host = Host::parse(listener.hostname());
        let overlaps = |entry: &&String| match Host::parse(entry) {
            Host::Any => host == Host::Any,
            entry => entry.overlaps(&host, Depth::AnyLabels),
        };
        let Some(entry) = reserved.iter().find(overlaps) else { continue };
        let (at, value) = (at.then("hostname"), format!("{host} {entry}"));
        match host {
            Host::Any => found.forbidden(at, &value, "a listener for every host is not allowed here: set a hostname"),
            host => found
                .forbidden(at, &value, "{} is not allowed here: {} is reserved; use another hostname")
                .args([&host.to_string(), entry]),
        };
    }
}
