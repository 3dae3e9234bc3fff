//! A host that was let in for a root is kept for it until the view shows it, so that of two at once one is refused.

use std::sync::{Arc, RwLock};
use std::time::Duration;

use jiff::Timestamp;
use portcullis::cluster::{Cluster, Event, Facts, Knowledge};
use portcullis::kinds::{Kind, ObjectRef, decode};
use portcullis::review::Reviewer;
use serde_json::{Value, json};

use super::asked::plan;
use crate::pages::today;

struct Door {
    reviewer: Reviewer,
    cluster: Arc<RwLock<Cluster>>,
}

impl Door {
    fn open() -> Self {
        let cluster = Arc::new(RwLock::new(Cluster::with(Knowledge::Complete)));
        Self { reviewer: Reviewer::new(plan(""), Arc::clone(&cluster)).promising(), cluster }
    }

    /// The causes for which a write is refused.
    fn asks(&self, operation: &str, object: &Value, more: &Value, now: Timestamp) -> Vec<String> {
        let (group, version) = object["apiVersion"].as_str().and_then(|text| text.split_once('/')).expect("a version");
        let mut request = json!({
            "uid": "1", "kind": {"group": group, "version": version, "kind": object["kind"]}, "operation": operation,
            "namespace": object["metadata"]["namespace"], "name": object["metadata"]["name"], "object": object,
        });
        if operation == "DELETE" {
            (request["object"], request["oldObject"]) = (Value::Null, object.clone());
        }
        request.as_object_mut().expect("a map").extend(more.as_object().cloned().unwrap_or_default());
        let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request});
        let answer = self.reviewer.validate(review.to_string().as_bytes(), now).expect("all is known");
        let answer: Value = serde_json::from_slice(&answer.body).expect("an answer is JSON");
        let causes = answer["response"]["status"]["details"]["causes"].as_array().cloned().unwrap_or_default();
        causes.iter().filter_map(|cause| cause["message"].as_str().map(str::to_owned)).collect()
    }

    fn creates(&self, object: &Value) -> Vec<String> {
        self.asks("CREATE", object, &Value::Null, today())
    }
}

fn root(kind: &str, place: &str, class: &str) -> Value {
    let (namespace, name) = place.split_once('/').expect("a place");
    let api_version = if kind == "HTTPProxy" { "projectcontour.io/v1" } else { "contour.heptio.com/v1beta1" };
    json!({
        "apiVersion": api_version, "kind": kind,
        "metadata": {"namespace": namespace, "name": name, "annotations": {"kubernetes.io/ingress.class": class}},
        "spec": {"virtualhost": {"fqdn": "Shop.example.com"}, "routes": [{"match": "/", "services": [{"name": "web", "port": 80}]}]},
    })
}

pub fn a_host_is_kept_for_the_root_that_was_let_in() {
    for kind in ["IngressRoute", "HTTPProxy"] {
        let (door, first, second) = (Door::open(), root(kind, "web/shop", ""), root(kind, "team/shop", ""));
        let taken = format!(
            "host shop.example.com is {kind} web/shop's already, and a host has one root [{}/fqdn-unique]",
            kind.to_lowercase()
        );
        assert!(door.creates(&first).is_empty());
        assert_eq!(door.creates(&second), [taken.as_str()]);
        assert!(door.creates(&first).is_empty(), "its own promise keeps nobody out");
        assert!(door.creates(&root(kind, "team/other", "internal")).is_empty(), "another class is another proxy's");

        let later = today() + Duration::from_secs(6);
        assert!(door.asks("CREATE", &second, &Value::Null, later).is_empty(), "it never came");
        assert_eq!(door.asks("CREATE", &first, &Value::Null, later).len(), 1, "now it is the other one's");
    }
}

pub fn a_promise_ends_with_what_becomes_of_it() {
    let (first, second) = (root("HTTPProxy", "web/shop", ""), root("HTTPProxy", "team/shop", ""));
    let door = Door::open();
    assert!(door.asks("CREATE", &first, &json!({"dryRun": true}), today()).is_empty());
    assert!(door.creates(&second).is_empty(), "of a dry run nothing comes");

    let door = Door::open();
    assert!(door.creates(&first).is_empty());
    assert!(door.asks("DELETE", &first, &Value::Null, today()).is_empty());
    assert!(door.creates(&second).is_empty(), "what is deleted needs no host");

    let door = Door::open();
    assert!(door.creates(&first).is_empty());
    let json = first.to_string();
    let facts = Facts::of(&decode(Kind::HttpProxy, &json).expect("an HTTPProxy"));
    door.cluster.write().expect("nobody panicked").apply(Event::Put(facts));
    assert_eq!(door.creates(&second).len(), 1, "now it is seen");
    let place = ObjectRef::new(Kind::HttpProxy, "web", "shop");
    door.cluster.write().expect("nobody panicked").apply(Event::Gone(place));
    assert!(door.creates(&second).is_empty(), "and gone again");
}

pub fn who_shows_nothing_promises_nothing() {
    let door = Door::open();
    let door = Door { reviewer: Reviewer::new(plan(""), Arc::clone(&door.cluster)), ..door };
    assert!(door.creates(&root("IngressRoute", "web/shop", "")).is_empty());
    assert!(door.creates(&root("IngressRoute", "team/shop", "")).is_empty());
}

pub fn of_many_at_once_one_is_let_in() {
    let door = Door::open();
    let roots: Vec<Value> = (0..64).map(|number| root("IngressRoute", &format!("team-{number}/shop"), "")).collect();
    let let_in = std::thread::scope(|scope| {
        let asked = roots.iter().map(|root| scope.spawn(|| door.creates(root).is_empty())).collect::<Vec<_>>();
        asked.into_iter().map(|asked| asked.join().expect("an answer")).filter(|is_in| *is_in).count()
    });
    assert_eq!(let_in, 1);
}
