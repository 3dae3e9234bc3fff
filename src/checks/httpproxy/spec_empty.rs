//! `httpproxy/spec-empty`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::HttpProxy;

pub static CHECK: Check = Check {
    id: "httpproxy/spec-empty",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("spec_empty.md"),
    run: Run::HttpProxy(check),
};

fn check(proxy: &HttpProxy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let spec = &proxy.spec;
    let is_empty = spec.routes.is_empty() && spec.includes.is_empty() && spec.tcpproxy.is_none();
    if spec.virtualhost.is_some() && is_empty {
        found.required(At::field("spec"), "a root needs routes, includes or tcpproxy, or its host is not served");
    }
}
