//! `http-proxy/root-namespace-not-allowed`

use crate::checks::{Actions, Check, Context, Run, delegation};
use crate::finding::Findings;
use crate::kinds::{HttpProxy, Kind};

pub static CHECK: Check = Check {
    id: "http-proxy/root-namespace-not-allowed",
    page: include_str!("root_namespace_not_allowed.md"),
    run: Run::HttpProxy(check),
    ..Check::tenancy(Actions::DENY)
};

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if proxy.spec.virtualhost.is_some() {
        delegation::root_outside(Kind::HttpProxy, cx, found);
    }
}
