//! `httpproxy/root-namespace`

use crate::checks::{Actions, Check, Context, Run, delegation};
use crate::finding::Findings;
use crate::kinds::{HttpProxy, Kind};

pub static CHECK: Check = Check {
    id: "httpproxy/root-namespace",
    page: include_str!("root_namespace.md"),
    run: Run::HttpProxy(check),
    ..Check::tenancy(Actions::DENY)
};

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if proxy.spec.virtualhost.is_some() {
        delegation::root_outside(Kind::HttpProxy, cx, found);
    }
}
