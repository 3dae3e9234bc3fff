//! With a real API server, a new configuration needs other kinds than the previous one while the server runs.

use std::fs;
use std::path::PathBuf;

use libtest_mimic::Trial;

use crate::faults::is_claimed;
use crate::harness::{ControlPlane, FlakyProxy, Flavour, PortcullisServer, eventually, on_cluster, process_guard};
use crate::reviews::{create, ingress, send};
use crate::test_server::post;

pub fn trials() -> Vec<Trial> {
    vec![on_cluster("reload::kinds_come_and_go_with_the_checks_that_need_them", kinds_come_and_go)]
}

/// A configuration file with one enabled check.
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

/// The number of Ingresses in the metrics of the server.
fn counted(server: &PortcullisServer) -> Option<f64> {
    server.metric(r#"portcullis_objects{kind="Ingress"}"#)
}

fn kinds_come_and_go() {
    const ALONE: &str = "ingress/host-wildcard";
    const AMONG_OTHERS: &str = "host/path-conflict";
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let team = control_plane.namespace("team");
    let host = |name: &str| format!("{name}.{team}.example.com");
    let put = |name: &str| team.apply(&ingress(&team.to_string(), name, &host(name), "/")).accepted();
    put("first");

    let (proxy, configuration) = (FlakyProxy::to(control_plane.address()), Configuration::of(ALONE));
    let kubeconfig = control_plane.kubeconfig_through(proxy.address);
    let args = ["--kubeconfig".as_ref(), kubeconfig.as_os_str(), "--config".as_ref(), configuration.0.as_os_str()];
    let server = PortcullisServer::start(args).ready();
    let copy = post("/validate", create(&ingress("elsewhere", "copy", &host("first"), "/")).as_bytes());
    assert_eq!((server.condition("ingresses").as_str(), counted(&server)), ("", None), "no check needs them");
    assert!(!is_claimed(&server, &host("first")));

    for round in ["first", "second"] {
        // No object is known at first, even if the kind was known before. Readiness shows this, and reviews are
        // answered with 503.
        proxy.hold();
        configuration.becomes(AMONG_OTHERS);
        eventually("the kind is watched", || server.condition("ingresses") == "[!]ingresses degraded: not synced");
        assert_eq!(server.health().get("/readyz").0, 200, "a running replica stays ready");
        let refused = send(&server, &copy);
        assert_eq!(refused.status, 503, "{round}");
        assert!(refused.body.starts_with("not synced yet: Ingress; "), "{round}: {}", refused.body);
        assert!(refused.head.contains("retry-after: 1\r\n"), "{}", refused.head);

        proxy.resume();
        eventually("the kind is listed", || server.condition("ingresses").starts_with("[+]"));
        assert!(is_claimed(&server, &host(round)) && counted(&server) >= Some(1.0), "{round}");

        configuration.becomes(ALONE);
        eventually("the kind is no longer watched", || server.condition("ingresses").is_empty());
        assert_eq!((server.health().get("/readyz").0, counted(&server)), (200, None));
        assert!(!is_claimed(&server, &host(round)));
        server.logs("watch stopped: the kind is no longer needed, or served in another version");

        // Changes that occur while the kind is not needed are known when it is needed again.
        team.delete("ingress --all").accepted();
        put("second");
    }

    // Kinds of Contour alone are discovered too: without their CRDs they are absent, and nothing waits for them.
    configuration.becomes("http-proxy/fqdn-conflict");
    let absent = "[+]httpproxies ok: CRD not installed in a supported version";
    eventually("the CRD is known to be absent", || server.readiness().contains(absent));
    assert_eq!(server.health().get("/readyz").0, 200);
}
