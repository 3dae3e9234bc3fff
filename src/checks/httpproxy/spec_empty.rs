//! `httpproxy/spec-empty`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::HttpProxy;

pub static CHECK: Check = Check {
    id: "httpproxy/spec-empty",
    page: include_str!("spec_empty.md"),
    run: Run::HttpProxy(check),
    ..Check::shape(Actions::DENY)
};

fn check(proxy: &HttpProxy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let spec = &proxy.spec;
    let is_empty = spec.routes.is_empty() && spec.includes.is_empty() && spec.tcpproxy.is_none();
    if spec.virtualhost.is_some() && is_empty {
        found.required(At::field("spec"), "a root needs routes, includes or tcpproxy, or its host is not served");
    }
}
