//! Two replicas, of which the holder of the Lease writes.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::fixture::{Cluster, ingress_route, service};
use crate::harness::{PortcullisServer, eventually};

/// An orphan of this number.
fn orphan(number: usize) -> Value {
    ingress_route("team", &format!("orphan-{number}"), None, &[])
}

fn is_leader(gate: &PortcullisServer) -> bool {
    gate.metric("portcullis_leader") == Some(1.0)
}

fn written(gate: &PortcullisServer) -> f64 {
    gate.metric(r#"portcullis_status_written_total{kind="IngressRoute"}"#).unwrap_or_default()
}

/// Two replicas, of which the first leads as soon as it runs.
fn pair(cluster: &Cluster) -> [PortcullisServer; 2] {
    let holder = cluster.replica("");
    eventually("the first replica leads", || is_leader(&holder));
    [holder, cluster.replica("")]
}

fn count(cluster: &Cluster, state: &str) -> usize {
    let output = cluster.cp.kubectl("get ingressroutes --namespace=team --output=json").run().accepted().stdout;
    let list: Value = serde_json::from_str(&output).expect("kubectl prints JSON");
    let items = list["items"].as_array().into_iter().flatten();
    items.filter(|item| item["status"]["currentStatus"] == state).count()
}

pub fn at_rest_nothing_is_written() {
    const OBJECTS: usize = 300;
    let cluster = Cluster::new();
    (0..OBJECTS).for_each(|number| cluster.apply(&orphan(number)));
    let [holder, other] = pair(&cluster);
    eventually("all are written", || count(&cluster, "orphaned") == OBJECTS);
    eventually("the holder has counted them", || written(&holder) >= 300.0);
    assert_eq!(cluster.writes().len(), OBJECTS, "each once");
    assert_eq!(written(&other), 0.0);
    let metric = |gate: &PortcullisServer| gate.metric(r#"contour_ingressroute_total{namespace="team"}"#);
    assert_eq!((metric(&holder), metric(&other)), (Some(300.0), None), "the holder alone exports the gauges");
    sleep(Duration::from_secs(15));
    assert_eq!(cluster.writes().len(), OBJECTS, "at rest nothing is written");
    assert_eq!(holder.metric("portcullis_status_queued"), Some(0.0));
}

pub fn a_killed_holder_is_replaced() {
    const OBJECTS: usize = 600;
    const DELEGATED: usize = 20;
    let cluster = Cluster::new();
    ["web", "team"].into_iter().for_each(|namespace| cluster.apply(&service(namespace)));
    (0..OBJECTS).for_each(|number| cluster.apply(&orphan(number)));
    let [holder, other] = pair(&cluster);
    eventually("the holder is amid its writes", || written(&holder) > 200.0);
    holder.signal("KILL");
    let (killed, before) = (Instant::now(), count(&cluster, "orphaned"));
    assert!(before < OBJECTS, "the holder was killed too late");
    // From now on some of them have another status.
    for number in 0..DELEGATED {
        let (name, host) = (format!("root-{number}"), format!("shop-{number}.example.com"));
        cluster.apply(&ingress_route("web", &name, Some(&host), &[("/a", &format!("team/orphan-{number}"))]));
    }
    eventually("the other replica leads", || is_leader(&other));
    eventually("it finishes", || {
        count(&cluster, "valid") == DELEGATED && count(&cluster, "orphaned") == OBJECTS - DELEGATED
    });
    eprintln!("{before} of {OBJECTS} were written before; all were right {:?} after the kill", killed.elapsed());
    let mut writes: BTreeMap<String, usize> = BTreeMap::new();
    for event in cluster.writes().iter().filter(|event| event["responseStatus"]["code"] == 200) {
        *writes.entry(event["objectRef"]["name"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
    }
    let is_right = |(name, count): (&String, &usize)| {
        let number = name.strip_prefix("orphan-").and_then(|number| number.parse::<usize>().ok());
        *count == 1 || (*count == 2 && number.is_some_and(|number| number < DELEGATED))
    };
    assert!(writes.iter().all(is_right), "a replica writes again what the other has written: {writes:?}");
}
