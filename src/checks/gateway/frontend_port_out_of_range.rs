//! `gateway/frontend-port-out-of-range`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Gateway, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "gateway/frontend-port-out-of-range",
    enforced: Some(Enforced::since(1, 5)),
    page: include_str!("frontend_port_out_of_range.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, entry) in walk::gateway::frontend_ports(gateway) {
        match entry.port {
            None => {
                found.required(at.then("port"), "an entry must give its port");
            }
            Some(port) if !names::is_port(port) => {
                found.invalid(at.then("port"), &port.to_string(), "{} is no port: 1 to 65535");
            }
            Some(_) => {}
        }
    }
}
