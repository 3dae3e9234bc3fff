//! `gateway/frontend-port-duplicate`

use hashbrown::HashSet;

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Gateway, walk};

pub static CHECK: Check = Check {
    id: "gateway/frontend-port-duplicate",
    enforced: Some(Enforced::since(1, 5)),
    page: include_str!("frontend_port_duplicate.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    for (at, entry) in walk::gateway::frontend_ports(gateway) {
        if let Some(port) = entry.port.filter(|port| !seen.insert(*port)) {
            found.duplicate(at.then("port"), &port.to_string(), "port {} has an entry already");
        }
    }
}
