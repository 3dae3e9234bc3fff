//! `httpproxy/tcpproxy`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::HttpProxy;

pub static CHECK: Check = Check {
    id: "httpproxy/tcpproxy",
    page: include_str!("tcpproxy.md"),
    run: Run::HttpProxy(check),
    ..Check::shape(Actions::DENY)
};

fn check(proxy: &HttpProxy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(tcp) = &proxy.spec.tcpproxy else { return };
    let at = At::field("spec.tcpproxy");
    match (tcp.services.is_empty(), tcp.include()) {
        (true, None) => {
            found.required(at, "tcpproxy hands connections on: it needs services or include");
        }
        (false, Some((field, _))) => {
            let sentence = "tcpproxy hands connections on to one place: drop services or {}";
            found.forbidden(at, "services,include", sentence).shown([field]);
        }
        _ => {}
    }
    if proxy.spec.virtualhost.as_ref().is_some_and(|host| host.tls.is_none()) {
        let sentence = "tcpproxy is for hosts with TLS: give tls.secretName or tls.passthrough";
        found.required(At::field("spec.virtualhost.tls"), sentence);
    }
}
