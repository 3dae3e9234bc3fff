//! What those who write an invalid configuration see of it.

use serde_json::{Value, json};

use super::{BROKEN, ConfigMapFixture, HEAD};
use crate::harness::eventually;

/// The API server sends the ConfigMap itself, too. A write of it is never denied, and an invalid one gets the position of each fault.
pub(super) fn invalid_config_map_gets_a_warning() {
    let fixture = ConfigMapFixture::new();
    fixture.configure("profile: audit\n");
    let server = fixture.start().ready();
    let namespace = fixture.namespace.to_string();
    let warnings = |name: &str, data: Value| {
        let kind = json!({"group": "", "version": "v1", "kind": "ConfigMap"});
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": namespace, "name": name}, "data": data});
        let request = json!({
            "uid": "1", "kind": kind, "operation": "UPDATE", "namespace": namespace, "name": name,
            "userInfo": {"username": "alice"}, "object": object,
        });
        let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request});
        let (status, answer) = server.post("/validate", review.to_string());
        assert_eq!((status, &answer["response"]["allowed"]), (200, &json!(true)), "{answer}");
        let all = answer["response"]["warnings"].as_array().cloned().unwrap_or_default();
        all.into_iter().filter_map(|warning| warning.as_str().map(str::to_owned)).collect::<Vec<_>>().join("\n")
    };
    let text = |text: &str| json!({"config.yaml": format!("{HEAD}{text}")});
    assert_eq!(warnings("portcullis", text("profile: restricted\n")), "");
    let invalid = warnings("portcullis", text(BROKEN));
    assert!(invalid.starts_with("this configuration of Portcullis is invalid"), "{invalid}");
    assert!(invalid.contains("\nline 3, column 1: unknown field `profil`; did you mean `profile`?"), "{invalid}");
    assert!(warnings("portcullis", json!({})).contains("has no key that ends in .yaml"));
    assert!(!warnings("other", text(BROKEN)).contains("invalid"), "it is not the configuration");
}

/// Each replica finds the fault, and the first one creates the Event. Another version gets another Event.
pub(super) fn invalid_config_map_gets_one_event() {
    let fixture = ConfigMapFixture::new();
    let namespace = &fixture.namespace;
    fixture.configure("profile: audit\n");
    let _servers = [fixture.start().ready(), fixture.start().ready()];
    // The Events whose note ends like this.
    let events = |end: &str| {
        let list = namespace.get("apis/events.k8s.io/v1", "events").expect("the API server has Events");
        let items = list["items"].as_array().cloned().unwrap_or_default();
        let is_meant = |event: &Value| {
            event["reason"] == "ConfigurationUnusable" && event["note"].as_str().is_some_and(|note| note.ends_with(end))
        };
        items.into_iter().filter(is_meant).collect::<Vec<Value>>()
    };
    // Waits until both replicas have tried to create the Event, and returns it.
    let one = |end: &str| {
        eventually(end, || !events(end).is_empty());
        let name = events(end)[0]["metadata"]["name"].clone();
        let is_attempt = |event: &&Value| event["objectRef"]["name"] == name && event["verb"] == "create";
        eventually("each replica reports it", || namespace.audit_log().iter().filter(is_attempt).count() >= 2);
        let found = events(end);
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].clone()
    };
    fixture.configure(BROKEN);
    let error = "another version is in effect: line 3, column 1: unknown field `profil`; did you mean `profile`?";
    let event = one(error);
    assert_eq!((&event["type"], &event["action"]), (&json!("Warning"), &json!("Load")), "{event}");
    let described = namespace.kubectl("describe configmap portcullis").run().accepted().stdout;
    assert!(described.contains(error), "the Event has the UID of the ConfigMap: {described}");

    fixture.configure(&format!("{BROKEN}# A comment.\n"));
    eventually("another version with the same fault has its own Event", || events(error).len() == 2);
    namespace.delete("configmap portcullis").accepted();
    one("another version is in effect: ConfigMap portcullis does not exist");
    assert_eq!(events("").len(), 3);
}
