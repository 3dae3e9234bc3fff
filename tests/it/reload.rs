//! What a new configuration asks of a real API server while the gate runs: other kinds than the one before.

use std::fs;
use std::path::PathBuf;

use libtest_mimic::Trial;

use crate::door::post;
use crate::faults::is_taken;
use crate::harness::{ControlPlane, FlakyProxy, Flavour, PortcullisServer, eventually, on_cluster, process_guard};
use crate::reviews::{create, ingress, send};

pub fn trials() -> Vec<Trial> {
    vec![on_cluster("reload::kinds_come_and_go_with_the_checks_that_need_them", kinds_come_and_go)]
}

/// A configuration file in which one check runs.
struct Configuration(PathBuf);

impl Configuration {
    fn of(check: &str) -> Self {
        let file = Self(process_guard().folder("reload").join("config.yaml"));
        file.becomes(check);
        file
    }

    fn becomes(&self, check: &str) {
        let head = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n";
        fs::write(&self.0, format!("{head}checks: {{'*': Off, {check}: Deny}}\n")).expect("the folder is writable");
    }
}

/// What readiness says of Ingresses, if anything.
fn ingresses(gate: &PortcullisServer) -> Option<String> {
    let (_, says) = gate.health().get("/readyz?verbose");
    says.lines().find(|line| line.contains("]ingresses ")).map(str::to_owned)
}

/// Ingresses that the gate counts.
fn counted(gate: &PortcullisServer) -> Option<f64> {
    gate.metric(r#"portcullis_objects{kind="Ingress"}"#)
}

fn kinds_come_and_go() {
    const ALONE: &str = "ingress/host-wildcard";
    const AMONG_OTHERS: &str = "host/path-conflict";
    let cp = ControlPlane::shared(Flavour::Plain);
    let team = cp.namespace("team");
    let host = |name: &str| format!("{name}.{team}.example.com");
    let put = |name: &str| team.apply(&ingress(&team.to_string(), name, &host(name), "/")).accepted();
    put("first");

    let (relay, configuration) = (FlakyProxy::to(cp.address()), Configuration::of(ALONE));
    let kubeconfig = cp.kubeconfig_through(relay.address);
    let args = ["--kubeconfig".as_ref(), kubeconfig.as_os_str(), "--config".as_ref(), configuration.0.as_os_str()];
    let gate = PortcullisServer::start(args).ready();
    let copy = post("/validate", create(&ingress("elsewhere", "copy", &host("first"), "/")).as_bytes());
    assert_eq!((ingresses(&gate), counted(&gate)), (None, None), "nobody asks for them");
    assert!(!is_taken(&gate, &host("first")));

    for round in ["first", "second"] {
        // Nothing is known at first, also where something was known once: readiness tells, and reviews wait.
        relay.hold();
        configuration.becomes(AMONG_OTHERS);
        eventually("the kind is asked for", || ingresses(&gate).as_deref() == Some("[-]ingresses failed: not synced"));
        assert_eq!(gate.health().get("/readyz").0, 503);
        let put_off = send(&gate, &copy);
        assert_eq!((put_off.status, put_off.body.trim_end()), (503, "not synced yet: Ingress"), "{round}");
        assert!(put_off.head.contains("retry-after: 1\r\n"), "{}", put_off.head);

        relay.resume();
        eventually("the kind is listed", || gate.health().get("/readyz").0 == 200);
        assert!(is_taken(&gate, &host(round)) && counted(&gate) >= Some(1.0), "{round}");

        configuration.becomes(ALONE);
        eventually("the kind is asked for no more", || ingresses(&gate).is_none());
        assert_eq!((gate.health().get("/readyz").0, counted(&gate)), (200, None));
        assert!(!is_taken(&gate, &host(round)));
        gate.logs("watch stopped: the kind is no longer needed, or served in another version");

        // What changes while nobody looks is known when somebody looks again.
        team.delete("ingress --all").accepted();
        put("second");
    }
}
