//! `http-proxy/fqdn-conflict`

use crate::checks::{Actions, Check, Context, Run, delegation};
use crate::finding::Findings;
use crate::kinds::{HttpProxy, Kind};

pub static CHECK: Check = Check {
    id: "http-proxy/fqdn-conflict",
    needs: &[Kind::HttpProxy],
    page: include_str!("fqdn_conflict.md"),
    run: Run::HttpProxy(check),
    ..Check::conflict(Actions::DENY)
};

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if let Some(virtualhost) = &proxy.spec.virtualhost {
        delegation::host_taken(Kind::HttpProxy, proxy.class(), &virtualhost.fqdn, cx, found);
    }
}
