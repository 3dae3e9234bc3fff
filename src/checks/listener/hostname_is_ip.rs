//! `listener/hostname-is-ip`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "listener/hostname-is-ip",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("hostname_is_ip.md"),
    run: Run::Listeners(check),
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, host) in walk::listener::hostnames(listeners) {
        if names::is_ip(host) {
            found.invalid(at, host, "`{}` is an IP address; a hostname must be a DNS name");
        }
    }
}
