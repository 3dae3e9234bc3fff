//! `http-proxy/service-external-name`

use crate::checks::{Actions, Check, Context, Run, external_name};
use crate::finding::Findings;
use crate::kinds::{HttpProxy, Kind, walk};

pub static CHECK: Check = Check {
    id: "http-proxy/service-external-name",
    needs: &[Kind::Service],
    page: include_str!("service_external_name.md"),
    run: Run::HttpProxy(check),
    ..Check::reference(Actions::ACROSS)
};

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, service) in cx.part.within(walk::http_proxy::services(proxy)) {
        external_name::report_named(at, &service.name, cx, found);
    }
}
