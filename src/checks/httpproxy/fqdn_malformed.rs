//! `httpproxy/fqdn-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::HttpProxy;
use crate::names;

pub static CHECK: Check = Check {
    id: "httpproxy/fqdn-malformed",
    page: include_str!("fqdn_malformed.md"),
    run: Run::HttpProxy(check),
    ..Check::shape(Actions::DENY)
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
