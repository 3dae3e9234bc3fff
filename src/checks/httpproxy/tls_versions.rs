//! `httpproxy/tls-versions`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::HttpProxy;
use crate::kinds::http_proxy::PROXY_TLS_VERSIONS;

pub static CHECK: Check = Check {
    id: "httpproxy/tls-versions",
    page: include_str!("tls_versions.md"),
    run: Run::HttpProxy(check),
    ..Check::shape(Actions::DENY)
};

fn check(proxy: &HttpProxy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(tls) = proxy.spec.virtualhost.as_ref().and_then(|host| host.tls.as_ref()) else { return };
    let at = At::field("spec.virtualhost.tls");
    let [oldest, newest] = PROXY_TLS_VERSIONS;
    let bounds = [
        ("minimumProtocolVersion", tls.minimum_protocol_version.as_deref(), oldest),
        ("maximumProtocolVersion", tls.maximum_protocol_version.as_deref(), newest),
    ];
    for (field, written, default) in bounds {
        if let Some(version) = written.filter(|version| !version.is_empty() && !PROXY_TLS_VERSIONS.contains(version)) {
            let sentence = "`{}` is neither 1.2 nor 1.3, and {} is taken instead";
            found.not_supported(at.then(field), version, sentence).shown([version, default]).only_warns();
        }
    }
    let (minimum, maximum) = (tls.oldest_version(), tls.newest_version());
    if minimum > maximum {
        let sentence = "the oldest version, {}, is newer than the newest, {}: no client can connect";
        let finding = found.invalid(at.then("minimumProtocolVersion"), &format!("{minimum} {maximum}"), sentence);
        finding.shown([minimum, maximum]);
    }
}
