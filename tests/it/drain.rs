//! Servers that are restarted under load behind one address, as in a rollout: no write fails, and none loses its
//! defaults.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use libtest_mimic::Trial;
use serde_json::json;

use crate::harness::{
    Balancer, Callee, ControlPlane, Flavour, PortcullisServer, Webhooks, eventually, on_cluster, process_guard,
};
use crate::reviews::ingress;

pub fn trials() -> Vec<Trial> {
    vec![
        on_cluster("drain::no_write_fails_while_servers_are_restarted", no_write_fails),
        Trial::test("drain::a_signal_ends_the_program", || {
            a_signal_ends_the_program();
            Ok(())
        }),
    ]
}

/// How many servers are replaced by new ones.
const RESTARTS: usize = 5;
/// How many writes are made after each restart, at least.
const WRITES_BETWEEN: usize = 100;
/// How many writers there are; the API server has as many connections to the servers.
const WRITERS: usize = 8;

const DEFAULT_CLASS: &str = r#"
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: public, annotations: {ingressclass.kubernetes.io/is-default-class: "true"}}
spec: {controller: example.com/public}
"#;

/// What became of the writes.
#[derive(Default)]
struct Tally {
    is_over: AtomicBool,
    made: AtomicUsize,
    wrong: Mutex<Vec<String>>,
}

impl Tally {
    /// Makes dry-run creates until it is over. Every second one claims a host that another namespace has, which must be
    /// refused; the others have no class, and must get the default one.
    fn write(&self, control_plane: &ControlPlane, writer: usize) {
        let http = control_plane.http();
        let path = "/apis/networking.k8s.io/v1/namespaces/default/ingresses?dryRun=All";
        while !self.is_over.load(Ordering::Relaxed) {
            let number = self.made.fetch_add(1, Ordering::Relaxed);
            let is_good = number.is_multiple_of(2);
            let host = if is_good { format!("w{writer}-{number}.example.com") } else { "taken.example.com".to_owned() };
            let body = ingress("default", "shop", &host, "/");
            let body = if is_good { body.replace(r#""ingressClassName":"nginx","#, "") } else { body };
            let (status, answer) = http.post(path, body);
            let is_right = match is_good {
                true => status == 201 && answer["spec"]["ingressClassName"] == "public",
                false => status == 422 && answer["message"].to_string().contains("[host/path-conflict]"),
            };
            if !is_right {
                self.wrong.lock().expect("no holder panics").push(format!("{number}: {status} {answer}"));
            }
        }
    }
}

fn no_write_fails() {
    let control_plane = ControlPlane::start(Flavour::NoDefaultIngressClass);
    let (certificates, web) = (process_guard().folder("gate"), control_plane.namespace("web"));
    control_plane.apply(DEFAULT_CLASS).accepted();
    web.apply(&ingress(&web.to_string(), "shop", "taken.example.com", "/")).accepted();
    let server = || server(&control_plane, &certificates);
    let mut servers = [server(), server()];
    let balancer = Balancer::of(&[servers[0].webhook, servers[1].webhook], servers[0].ca_pem());
    let _registered = control_plane.register(&balancer, Webhooks::all().in_namespace("default").within_seconds(10));

    let tally = Tally::default();
    let tally = &tally;
    thread::scope(|scope| {
        let over = Over(&tally.is_over);
        (0..WRITERS).for_each(|writer| {
            drop(scope.spawn({
                let control_plane = &control_plane;
                move || tally.write(control_plane, writer)
            }))
        });
        let reviews = |server: &PortcullisServer| {
            server
                .metric(r#"portcullis_reviews_total{kind="Ingress",verdict="denied",dry_run="true"}"#)
                .unwrap_or_default()
        };
        eventually("both servers review", || servers.iter().all(|server| reviews(server) > 10.0));
        for restart in 0..RESTARTS {
            let new = server();
            let old = &mut servers[restart % 2];
            // As a pod that waits before SIGTERM until no node leads new connections to it.
            balancer.replace(old.webhook, new.webhook);
            let since = Instant::now();
            let old = std::mem::replace(old, new);
            let (ended, log) = old.terminate();
            assert!(ended.success(), "{ended}\n{log}");
            println!("restart {restart}: ended {:?} after SIGTERM; {}", since.elapsed(), cut(&log));
            // The API server opens a connection to the new server only when it needs one more.
            let made = || tally.made.load(Ordering::Relaxed);
            let enough = made() + WRITES_BETWEEN;
            eventually("more writes are made", || made() >= enough);
        }
        drop(over);
    });
    let wrong = tally.wrong.lock().expect("no holder panics");
    let made = tally.made.load(Ordering::Relaxed);
    println!("{made} writes, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "of {made} writes {} went wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Says that it is over when it goes, whatever became of the trial.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What the log says of connections that were closed at the end.
fn cut(log: &str) -> &str {
    log.lines().find(|line| line.contains("that clients did not close")).unwrap_or("no connection was cut")
}

/// A ready server; all have certificates of one authority.
fn server(control_plane: &ControlPlane, certificates: &Path) -> PortcullisServer {
    // An idle connection that the API server does not use again is cut after this time.
    let drain_timeout = Path::new("--drain-timeout=10s");
    let args =
        [Path::new("--kubeconfig"), &control_plane.kubeconfig(), Path::new("--cert-dir"), certificates, drain_timeout];
    PortcullisServer::with_certificate(args, &certificates.join("ca.crt")).ready()
}

fn a_signal_ends_the_program() {
    // Longer than the trial waits for the end of a program.
    let server = || PortcullisServer::start(["--objects", "examples/cluster", "--drain-timeout=10m"]).ready();
    let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}).to_string();
    // The client keeps its connection open.
    let serving = |server: &PortcullisServer| assert_eq!(server.post("/validate", review.clone()).0, 400);

    let patient = server();
    serving(&patient);
    patient.signal("TERM");
    let health = patient.health();
    let failing = "[-]shutting-down failed: open connections are served until their clients close them\n";
    eventually("readiness fails", || health.get("/readyz") == (503, health.get("/readyz?verbose").1));
    assert!(health.get("/readyz").1.contains(failing), "{}", health.get("/readyz").1);
    assert_eq!(health.get("/livez").0, 200);
    // The open connection serves one more request, and that is its last response, so the program ends.
    serving(&patient);
    let (ended, log) = patient.wait();
    assert!(ended.success() && cut(&log) == "no connection was cut", "{log}");

    for signals in [&["INT"][..], &["TERM", "INT"], &["TERM", "TERM"]] {
        let server = server();
        serving(&server);
        for (number, signal) in signals.iter().enumerate() {
            if number > 0 {
                server.logs("SIGTERM received; serving open connections until their clients close them");
            }
            server.signal(signal);
        }
        let (ended, log) = server.wait();
        assert!(ended.success(), "{log}");
        assert!(cut(&log).contains(r#""connections":1"#), "{log}");
    }
}
