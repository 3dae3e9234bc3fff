//! The addresses of Ingresses.

use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use super::fixture::{Cluster, SOON};
use super::objects::{address, ingress, ingress_class, proxy};
use crate::harness::eventually;

const CONFIG: &str = "status: {publishService: [{namespace: web, name: proxy}]}\n";

/// A cluster with Ingresses of the own class and of another one, and a Service with an address.
fn cluster(names: &[&str]) -> Cluster {
    let cluster = Cluster::new();
    cluster.grant("ingress-status");
    cluster.apply(&ingress_class("own", "portcullis.dev/controller"));
    cluster.apply(&ingress_class("other", "example.com/controller"));
    names.iter().for_each(|name| cluster.apply(&ingress(name, "own")));
    cluster.apply(&ingress("foreign", "other"));
    cluster.apply(&proxy());
    cluster.patch_status(&proxy(), &address("192.0.2.1"));
    cluster
}

fn has(ip: &str) -> impl Fn(&Value) -> bool + use<> {
    let wanted = address(ip);
    move |status| *status == wanted
}

pub fn ingresses_get_the_published_address() {
    let cluster = cluster(&["own", "theirs", "moved"]);
    let [own, theirs, moved, foreign] = ["own", "theirs", "moved", "foreign"]
        .map(|name| ingress(name, if name == "foreign" { "other" } else { "own" }));
    let server = cluster.replica(CONFIG);
    for ingress in [&own, &theirs, &moved] {
        cluster.expect(ingress, Duration::from_secs(10), has("192.0.2.1"));
    }
    cluster.patch_status(&proxy(), &address("192.0.2.2"));
    let took = [&own, &theirs, &moved].map(|ingress| cluster.expect(ingress, SOON, has("192.0.2.2")));
    eprintln!("Ingresses followed the Service after {took:?}");
    cluster.apply(&ingress("moved", "other"));
    cluster.expect(&moved, SOON, |status| status["loadBalancer"] == json!({}));
    cluster.apply(&ingress("moved", "own"));
    cluster.expect(&moved, SOON, has("192.0.2.2"));
    let writes = cluster.writes().len();
    sleep(Duration::from_secs(2));
    assert_eq!(cluster.writes().len(), writes, "at rest nothing is written\n{}", server.log());

    // The addresses stay when Portcullis ends; of those that are gone later, only its own are removed.
    assert!(server.terminate().0.success());
    assert!(has("192.0.2.2")(&cluster.status(&own)));
    cluster.patch_status(&theirs, &address("192.0.2.9"));
    cluster.delete(&proxy());
    let server = cluster.replica(CONFIG);
    cluster.expect(&own, Duration::from_secs(20), |status| status["loadBalancer"] == json!({}));
    cluster.expect(&moved, SOON, |status| status["loadBalancer"] == json!({}));
    eventually("nothing is queued", || server.metric("portcullis_status_queued") == Some(0.0));
    assert!(has("192.0.2.9")(&cluster.status(&theirs)), "what another writer has set stays");
    assert_eq!(
        cluster.status(&foreign),
        json!({"loadBalancer": {}}),
        "the Ingress of another controller is left as it is"
    );
    assert!(cluster.writes().iter().all(|event| event["objectRef"]["name"] != "foreign"));
}
