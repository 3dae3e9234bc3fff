//! `httpproxy/root-namespace`

use crate::checks::{Actions, Check, Context, Release, Run, delegation};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{HttpProxy, Kind};

pub static CHECK: Check = Check {
    id: "httpproxy/root-namespace",
    theme: Theme::Tenancy,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("root_namespace.md"),
    run: Run::HttpProxy(check),
};

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if proxy.spec.virtualhost.is_some() {
        delegation::root_outside(Kind::HttpProxy, cx, found);
    }
}
