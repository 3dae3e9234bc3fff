//! The memory of a process that serves reviews and writes statuses.

use std::time::Duration;

use serde_json::{Value, json};

use super::fixture::Cluster;
use super::objects::{
    address, gateway, gateway_class, http_route, ingress, ingress_class, ingress_route, proxy, service,
};
use crate::e2e::report::figure;
use crate::harness::until;

const GATEWAYS: usize = 200;
/// How many objects there are of each kind with a status.
const HTTP_ROUTES: usize = 10_000;
const INGRESSES: usize = 10_000;
const INGRESS_ROUTES: usize = 5_000;
/// How many MiB the process may occupy when every status is written.
const LIMIT: u64 = 150;

/// The statuses of 25,000 objects are evaluated and written. `PORTCULLIS_BIN` names another build than the
/// debug build.
pub fn many_objects() {
    let cluster = Cluster::with_gateway_api();
    ["gateway-status", "ingress-status"].iter().for_each(|component| cluster.grant(component));
    [proxy(), service("web"), gateway_class("own"), ingress_class("own", "portcullis.dev/controller")]
        .iter()
        .for_each(|object| cluster.apply(object));
    cluster.patch_status(&proxy(), &address("192.0.2.1"));
    cluster.apply_all(&objects());
    let server = cluster.replica("status: {publishService: [{namespace: web, name: proxy}]}\n");
    let written = |kind: &str| server.metric(&format!("portcullis_status_written_total{{kind=\"{kind}\"}}"));
    let is_done = || {
        let all = [("HTTPRoute", HTTP_ROUTES), ("Ingress", INGRESSES), ("IngressRoute", INGRESS_ROUTES)];
        let are_written = all.iter().all(|(kind, count)| written(kind) >= Some(*count as f64));
        (are_written && server.metric("portcullis_status_queued") == Some(0.0)).then_some(())
    };
    let came = until(Duration::from_secs(900), is_done);
    assert!(came.is_some(), "the statuses are not written\n{}", server.log());
    let [now, peak] = ["VmRSS", "VmHWM"].map(|row| server.memory(row));
    let what = "memory with 10,000 HTTPRoutes, 10,000 Ingresses and 5,000 IngressRoutes, each with its status";
    figure(what, &format!("{LIMIT} MiB"), format!("{now} MiB, and {peak} MiB while they were written"));
    assert!(now <= LIMIT, "{now} MiB, but the limit is {LIMIT} MiB");
}

fn objects() -> Vec<Value> {
    let gateways = (0..GATEWAYS).map(|number| gateway(&format!("edge-{number}"), "own"));
    let routes = (0..HTTP_ROUTES).map(|number| {
        let gateway = format!("edge-{}", number % GATEWAYS);
        http_route(&format!("route-{number}"), &[&gateway], &format!("route-{number}.example.com"))
    });
    let ingresses = (0..INGRESSES).map(|number| {
        let mut object = ingress(&format!("ingress-{number}"), "own");
        let backend = object["spec"]["defaultBackend"].take();
        let paths = json!([{"path": "/", "pathType": "Prefix", "backend": backend}]);
        let rule = json!({"host": format!("ingress-{number}.example.com"), "http": {"paths": paths}});
        object["spec"] = json!({"ingressClassName": "own", "rules": [rule]});
        object
    });
    let roots = (0..INGRESS_ROUTES).map(|number| {
        ingress_route("web", &format!("root-{number}"), Some(&format!("root-{number}.example.com")), &[])
    });
    gateways.chain(routes).chain(ingresses).chain(roots).collect()
}
