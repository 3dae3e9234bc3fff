//! `gateway/frontend-incomplete`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Gateway, walk};

pub static CHECK: Check = Check {
    id: "gateway/frontend-incomplete",
    enforced: Some(Enforced::since(1, 5)),
    page: include_str!("frontend_incomplete.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let frontend = gateway.spec.tls.as_ref().and_then(|tls| tls.frontend.as_ref());
    if frontend.is_some_and(|frontend| frontend.default.is_none()) {
        let sentence = "what holds for ports without an entry must be given; `{}` for nothing";
        found.required(At::field("spec.tls.frontend.default"), sentence).shown(["{}"]);
    }
    for (at, port) in walk::gateway::frontend_ports(gateway) {
        if port.tls.is_none() {
            found.required(at.then("tls"), "what holds on the port must be given; `{}` for nothing").shown(["{}"]);
        }
    }
    for (site, validation) in walk::gateway::client_validations(gateway) {
        if validation.ca_certificate_refs.is_empty() {
            let sentence = "client certificates are judged by one authority at least";
            found.required(site.authorities(), sentence);
        }
    }
}
