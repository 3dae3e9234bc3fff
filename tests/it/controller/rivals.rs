//! Other writers of the same status.

use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use super::fixture::{Cluster, SOON, condition};
use super::objects::{gateway_class, ingress_route};
use crate::harness::eventually;

pub fn another_manager_keeps_its_status() {
    let cluster = Cluster::new();
    let (route, own) = (ingress_route("team", "theirs", None, &[]), ingress_route("team", "own", None, &[]));
    cluster.apply(&route);
    let theirs = json!({"currentStatus": "valid", "description": "by another controller"});
    cluster.patch_status(&route, &theirs);
    let _gate = cluster.replica("");
    cluster.apply(&own);
    cluster.expect_state(&own, Duration::from_secs(10), "orphaned");
    let reason = "StatusManagedByOther";
    eventually("an Event says why", || cluster.events(&route, reason).len() == 1);
    let mut changed = route.clone();
    changed["spec"]["routes"][0]["match"] = "/b".into();
    cluster.apply(&changed);
    cluster.patch_status(&route, &json!({"description": "again"}));
    sleep(Duration::from_secs(2));
    assert_eq!(cluster.status(&route), json!({"currentStatus": "valid", "description": "again"}));
    assert_eq!(cluster.events(&route, reason).len(), 1);
    assert_eq!(cluster.events(&route, reason)[0]["series"], Value::Null, "it was sent once");
    // The other controller is removed with what it has written.
    cluster.patch_status(&route, &Value::Null);
    cluster.expect_state(&route, SOON, "orphaned");
}

/// A change of the status of a class by another writer.
fn overwrite(cluster: &Cluster, class: &Value, message: &str) {
    let mut conditions = cluster.status(class)["conditions"].clone();
    for condition in conditions.as_array_mut().expect("a list") {
        if condition["type"] == "Accepted" {
            condition["message"] = message.into();
        }
    }
    cluster.patch_status(class, &json!({"conditions": conditions}));
}

pub fn an_overwritten_status_is_repaired() {
    let cluster = Cluster::with_gateway_api();
    cluster.grant("gateway-status");
    let class = gateway_class("own");
    cluster.apply(&class);
    let _gate = cluster.replica("");
    let message = |status: &Value| condition(status, "Accepted")["message"].clone();
    let is_ours = |status: &Value| message(status) == "the class is accepted";
    cluster.expect(&class, Duration::from_secs(20), is_ours);
    let writes = cluster.writes().len();

    // A condition of another type belongs to another writer.
    let mut conditions = cluster.status(&class)["conditions"].clone();
    let time = conditions[0]["lastTransitionTime"].clone();
    let foreign = json!({"type": "example.com/Audited", "status": "True", "reason": "Yes", "message": "", "lastTransitionTime": time});
    conditions.as_array_mut().expect("a list").push(foreign.clone());
    cluster.patch_status(&class, &json!({"conditions": conditions}));
    sleep(Duration::from_secs(2));
    assert_eq!(cluster.writes().len(), writes, "what a rival adds causes no write");

    let mut delays = Vec::new();
    for number in 0..2 {
        overwrite(&cluster, &class, &format!("rival {number}"));
        delays.push(cluster.expect(&class, Duration::from_secs(10), is_ours));
    }
    for (delay, expected) in delays.iter().zip([1.0, 2.0]) {
        let delay = delay.as_secs_f64();
        assert!((expected - 0.2..expected + 1.0).contains(&delay), "{delays:?}");
    }
    assert_eq!(cluster.writes().len(), writes + 2);
    assert_eq!(condition(&cluster.status(&class), "example.com/Audited"), &foreign);
    eventually("one Event says so", || cluster.events(&class, "StatusOverwritten").len() == 1);
    assert_eq!(cluster.events(&class, "StatusOverwritten")[0]["series"], Value::Null, "it was sent once");
}
