//! The addresses on which the server listens.

use std::net::{Ipv6Addr, TcpListener};

use libtest_mimic::Trial;

use crate::harness::{Http, PortcullisServer};

pub fn trials() -> Vec<Trial> {
    let has_ipv6 = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok();
    let trial = Trial::test("addresses::both_families_are_served", || {
        both_families_are_served();
        Ok(())
    });
    vec![trial.with_ignored_flag(!has_ipv6)]
}

/// By default in a cluster, where a pod may have an address of either family only.
fn both_families_are_served() {
    let args = ["--objects=examples/cluster", "--complete", "--listen=[::]:0", "--health-listen=[::]:0"];
    let server = PortcullisServer::start(args);
    assert!(server.health.is_ipv6() && server.webhook.is_ipv6());
    for host in ["[::1]", "127.0.0.1"] {
        let probe = Http::new(&format!("http://{host}:{}", server.health.port()), "");
        assert_eq!(probe.get("/livez").0, 200, "{host}");
        std::net::TcpStream::connect(format!("{host}:{}", server.webhook.port())).expect("the webhooks listen, too");
    }
}
