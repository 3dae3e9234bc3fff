//! `httpproxy/fqdn-malformed`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::HttpProxy;
use crate::names;

pub static CHECK: Check = Check {
    id: "httpproxy/fqdn-malformed",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("fqdn_malformed.md"),
    run: Run::HttpProxy(check),
};

fn check(proxy: &HttpProxy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(host) = &proxy.spec.virtualhost else { return };
    let (at, fqdn) = (At::field("spec.virtualhost.fqdn"), &*host.fqdn);
    if fqdn.is_empty() {
        found.required(at, "a root needs the host that it serves, such as shop.example.com");
    } else if !names::is_subdomain(fqdn) && !names::is_wildcard(fqdn) {
        found.malformed(at, fqdn, "`{}` is not a valid host: use a DNS name, or `*.` and one");
    }
}
