//! The memory limits that docs/install.md recommends suffice for so many objects. The highest memory is reached when all objects are
//! listed again, because their resource version is gone after an outage of the API server: both lists are in memory then.

use std::env;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use libtest_mimic::{Completion, Failed, Trial};
use portcullis_testing::repository::read;
use serde_json::{Value, json};

use crate::harness::{ControlPlane, FlakyProxy, Flavour, PortcullisServer, assets, text, until};

/// The number of objects, and the limit in MiB.
const SIZES: [(usize, u64); 3] = [(10_000, 256), (25_000, 384), (50_000, 512)];
/// What reviews may occupy beside the objects, in MiB: 64 for bodies in flight, and 86 for the evaluation of the worst one that is known.
const REVIEWS: u64 = 150;
/// Each Ingress has so many paths; as JSON it has 5.6 KB.
const PATHS: usize = 40;
/// How many writers create them.
const WRITERS: usize = 8;
/// After how many outages the objects must have been listed again.
const OUTAGES: usize = 8;
/// How long the creation, or a list, may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(1_200);

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("sizing::the_documented_limits_are_these", || {
            the_documented_limits_are_these();
            Ok(())
        }),
        Trial::ignorable_test("sizing::memory_limits_suffice", memory_limits_suffice),
    ]
}

fn the_documented_limits_are_these() {
    let page = read("docs/install.md");
    for (count, limit) in SIZES {
        let count = format!("{},{:03}", count / 1_000, count % 1_000);
        let row = page.lines().find(|line| line.starts_with(&format!("| {count} |")));
        let row = row.unwrap_or_else(|| panic!("docs/install.md has no row for {count} objects"));
        assert!(row.ends_with(&format!("| {limit} Mi |")), "{row}");
    }
}

/// Takes a quarter of an hour, so it runs only with `PORTCULLIS_SLOW=1`. `PORTCULLIS_BIN` names another build than the debug build.
fn memory_limits_suffice() -> Result<Completion, Failed> {
    if env::var_os("PORTCULLIS_SLOW").is_none() {
        return Ok(Completion::ignored());
    }
    assets()?;
    let control_plane = ControlPlane::start(Flavour::Plain);
    let mut created = 0;
    for (count, limit) in SIZES {
        create(&control_plane, created..count);
        created = count;
        let proxy = FlakyProxy::to(control_plane.address());
        let server = PortcullisServer::start(arguments(&control_plane, &proxy));
        known(&server, count);
        let [listed, listing] = [server.memory("VmRSS"), server.memory("VmHWM")];
        list_again(&control_plane, &proxy, &server, count);
        let [again, peak] = [server.memory("VmRSS"), server.memory("VmHWM")];
        println!("| {count} | {listed} MiB (peak {listing}) | {again} MiB | {peak} MiB | {limit} Mi |");
        assert!(peak + REVIEWS <= limit, "{count} objects: {peak} MiB and {REVIEWS} MiB of reviews exceed {limit} MiB");
    }
    Ok(Completion::Completed)
}

/// The arguments of the Deployment that decide what a process keeps, and a kubeconfig by which it reaches the API server. The CA and the
/// configuration are not in the memory that grows with the number of objects.
fn arguments(control_plane: &ControlPlane, proxy: &FlakyProxy) -> Vec<String> {
    let deployment: Value = serde_saphyr::from_str(&read("manifests/deployment.yaml")).expect("it is YAML");
    let args = &deployment["spec"]["template"]["spec"]["containers"][0]["args"];
    let has_no_part = ["serve", "--log-format=", "--listen=", "--ca-secret=", "--config-map="];
    let decides = |arg: &String| !has_no_part.iter().any(|part| arg.starts_with(part));
    let args = args.as_array().expect("the container has arguments").iter().map(text).filter(decides);
    args.chain([format!("--kubeconfig={}", control_plane.kubeconfig_through(proxy.address).display())]).collect()
}

fn create(control_plane: &ControlPlane, numbers: std::ops::Range<usize>) {
    let (next, end) = (AtomicUsize::new(numbers.start), numbers.end);
    thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| {
                let http = control_plane.http();
                while let Some(number) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < end) {
                    let path = "/apis/networking.k8s.io/v1/namespaces/default/ingresses";
                    let (status, answer) = http.post(path, ingress(number).to_string());
                    assert_eq!(status, 201, "{answer}");
                }
            });
        }
    });
}

fn ingress(number: usize) -> Value {
    let path = |path: usize| {
        json!({"path": format!("/application/{path}"), "pathType": "Prefix",
            "backend": {"service": {"name": format!("service-{path}"), "port": {"number": 8080}}}})
    };
    json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": format!("shop-{number}")},
        "spec": {"ingressClassName": "nginx", "rules": [{"host": format!("shop-{number}.example.com"),
            "http": {"paths": (0..PATHS).map(path).collect::<Value>()}}]},
    })
}

fn known(server: &PortcullisServer, count: usize) {
    let objects = || server.metric(r#"portcullis_objects{kind="Ingress"}"#);
    let came = until(PATIENCE, || (objects() == Some(count as f64)).then_some(()));
    assert!(came.is_some(), "{:?} of {count} objects are known\n{}", objects(), server.log());
}

/// Has every object listed again. Mostly, the new API server does not have the version at which the watch ended.
fn list_again(control_plane: &ControlPlane, proxy: &FlakyProxy, server: &PortcullisServer, count: usize) {
    let before = server.memory("VmHWM");
    let is_listed = |_: &usize| {
        proxy.hold();
        control_plane.delete("ingress/shop-0").accepted();
        control_plane.kill_api_server();
        control_plane.start_api_server();
        create(control_plane, 0..1);
        proxy.cut();
        proxy.resume();
        until(Duration::from_secs(60), || (server.memory("VmHWM") > before + before / 8).then_some(())).is_some()
    };
    let outages = (1..=OUTAGES).find(is_listed);
    let outages =
        outages.unwrap_or_else(|| panic!("the objects were not listed again: the peak is still {before} MiB"));
    known(server, count);
    // What a list took is returned soon after it.
    thread::sleep(Duration::from_secs(5));
    println!("listed again after {outages} outages");
}
