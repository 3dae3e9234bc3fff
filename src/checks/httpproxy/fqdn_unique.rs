//! `httpproxy/fqdn-unique`

use crate::checks::{Actions, Check, Context, Release, Run, delegation};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{HttpProxy, Kind};

pub static CHECK: Check = Check {
    id: "httpproxy/fqdn-unique",
    theme: Theme::Conflict,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[Kind::HttpProxy],
    options: &[],
    page: include_str!("fqdn_unique.md"),
    run: Run::HttpProxy(check),
};

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if let Some(virtualhost) = &proxy.spec.virtualhost {
        delegation::host_taken(Kind::HttpProxy, proxy.class(), &virtualhost.fqdn, cx, found);
    }
}
