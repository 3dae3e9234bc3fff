//! CRDs of the Gateway API that are absent, installed late, changed, unreadable, or without fields that objects have.

use std::path::Path;

use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::fixture::{ALICE, ClusterFixture, RegisteredWebhooks};
use crate::harness::{
    Channel, ControlPlane, Flavour, NEWEST, PortcullisServer, crds, eventually, on_gateway_cluster, process_guard,
};

pub fn trials() -> Vec<Trial> {
    vec![
        on_gateway_cluster("live::crd_is_noticed_when_installed_changed_or_deleted", comes_changes_and_goes),
        on_gateway_cluster("live::without_the_right_to_crds_their_rules_are_judged_here", without_the_right),
        on_gateway_cluster("live::an_experimental_field_is_pruned_by_standard_crds", an_experimental_field),
    ]
}

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// One check that needs Gateways, and one whose rule every CRD enforces.
const CONFIG: &str = "
apiVersion: config.portcullis.dev/v1alpha1
kind: PortcullisConfiguration
checks: {'*': Off, route/parent-not-found: Warn, route/parent-refs-too-many: Deny}
";

/// A server under the shipped ServiceAccount. `change` may first remove rights from the manifests.
fn server_under_account(control_plane: &ControlPlane, change: impl Fn(&mut Value)) -> PortcullisServer {
    for file in ["namespace", "service-account", "rbac"] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("manifests").join(file).with_extension("yaml");
        let text = std::fs::read_to_string(&file).expect("it is in the repository");
        for mut document in serde_saphyr::from_multiple::<Value>(&text).expect("manifests are YAML") {
            change(&mut document);
            control_plane.apply(&document.to_string()).accepted();
        }
    }
    let kubeconfig = control_plane.kubeconfig_for("portcullis", "portcullis");
    let config = process_guard().folder("gate").join("config.yaml");
    std::fs::write(&config, CONFIG).expect("our folder is writable");
    PortcullisServer::start([Path::new("--kubeconfig"), &kubeconfig, Path::new("--config"), &config]).ready()
}

/// The line of `/readyz` about a kind.
fn readiness_line(server: &PortcullisServer, plural: &str) -> String {
    let output = server.readiness();
    let about = output.lines().find(|line| line.split(' ').next().is_some_and(|name| &name[3..] == plural));
    about.unwrap_or_default().to_owned()
}

fn comes_changes_and_goes() {
    let control_plane = ControlPlane::start(Flavour::Plain);
    let server = server_under_account(&control_plane, |_| {});
    assert_eq!(readiness_line(&server, "gateways"), "[+]gateways ok: CRD not installed in a supported version");
    assert_eq!(warnings(&server), Vec::<String>::new(), "it is unknown whether there is a Gateway");

    control_plane.install_gateway_api("1.4.1", Channel::Standard);
    eventually("the kind is watched", || {
        readiness_line(&server, "gateways") == "[+]gateways ok: 0 known, v1.4 standard"
    });
    assert_eq!(server.metric(r#"portcullis_crds{kind="HTTPRoute",bundle="v1.4 standard"}"#), Some(1.0));
    let warning = "spec.parentRefs[0].name: Gateway web/edge not found: the route receives no traffic until it exists [route/parent-not-found]";
    assert_eq!(warnings(&server), [warning]);
    let http = control_plane.http();
    let (status, answer) =
        http.post("/apis/gateway.networking.k8s.io/v1/namespaces/default/gateways", gateway().to_string());
    assert_eq!(status, 201, "{answer}");
    eventually("the Gateway is known", || {
        readiness_line(&server, "gateways") == "[+]gateways ok: 1 known, v1.4 standard"
    });

    for mut crd in crds(NEWEST, Channel::Standard) {
        let path = format!("{CRDS}/{}", crd["metadata"]["name"].as_str().expect("a CRD has a name"));
        let (status, stored) = http.get(&path);
        if status == 200 {
            let stored: Value = serde_json::from_str(&stored).expect("a CRD is JSON");
            crd["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"].clone();
            let (status, answer) = http.put(&path, crd.to_string());
            assert_eq!(status, 200, "{answer}");
        } else {
            control_plane.install_crd(&crd);
        }
    }
    eventually("the new bundle is known", || {
        readiness_line(&server, "gateways") == "[+]gateways ok: 1 known, v1.6 standard"
    });
    eventually("a new kind is known", || {
        readiness_line(&server, "listenersets") == "[+]listenersets ok: 0 known, v1.6 standard"
    });

    control_plane.delete_crd("gateways.gateway.networking.k8s.io");
    eventually("the kind is gone", || {
        readiness_line(&server, "gateways") == "[+]gateways ok: CRD not installed in a supported version"
    });
    assert_eq!(warnings(&server), Vec::<String>::new());
    assert_eq!(server.metric(r#"portcullis_crds{kind="Gateway",bundle="v1.6 standard"}"#), None);
    assert!(!server.log().contains("panic caught"), "{}", server.log());
}

fn without_the_right() {
    let control_plane = ControlPlane::serving(Flavour::Plain, crds(NEWEST, Channel::Standard));
    let full = server_under_account(&control_plane, |_| {});
    eventually("the kind is known", || readiness_line(&full, "gateways") == "[+]gateways ok: 0 known, v1.6 standard");
    assert_eq!(refusal(&full), Value::Null, "the CRD has looked already");
    drop(full);

    let poor = server_under_account(&control_plane, |document| {
        if let Some(rules) = document["rules"].as_array_mut() {
            rules.retain(|rule| rule["resourceNames"].is_null());
        }
    });
    eventually("the kind is known", || readiness_line(&poor, "gateways") == "[+]gateways ok: 0 known");
    let sentence = "spec.parentRefs: must have at most 32 entries; it has 33 [route/parent-refs-too-many]";
    assert_eq!(refusal(&poor), sentence);
    assert_eq!(poor.log().matches("CRDs are not readable").count(), 1, "{}", poor.log());
}

/// A webhook never sees fields that the schema does not have, and neither does a client that reads the object.
fn an_experimental_field() {
    let control_plane = ControlPlane::serving(Flavour::Plain, crds(NEWEST, Channel::Standard));
    let fixture = ClusterFixture::new(&control_plane, RegisteredWebhooks::Validate, "profile: audit\n");
    let mut route = route(1);
    route["metadata"]["namespace"] = "web".into();
    route["spec"]["rules"][0]["retry"] = json!({"attempts": 3, "backoff": "1s"});
    let list = "/apis/gateway.networking.k8s.io/v1/namespaces/web/httproutes";

    let strict = fixture.kubectl("apply --dry-run=server -f -").stdin(&route.to_string()).run();
    strict.refused_with(r#"unknown field "spec.rules[0].retry""#);
    let (status, stored) = control_plane.http_as(ALICE).post(&format!("{list}?dryRun=All"), route.to_string());

    assert_eq!(status, 201, "{stored}");
    assert_eq!(stored["spec"]["rules"][0]["retry"], Value::Null);
}

/// The warnings in the review of a route to a Gateway that does not exist.
fn warnings(server: &PortcullisServer) -> Vec<String> {
    let (_, answer) = server.post("/validate", review(&route(1)).to_string());
    let output = answer["response"]["warnings"].as_array().into_iter().flatten();
    output.map(|warning| warning.as_str().expect("a warning is text").to_owned()).collect()
}

/// The message of the denial of a route with 33 parents, or null if it is allowed.
fn refusal(server: &PortcullisServer) -> Value {
    let (_, answer) = server.post("/validate", review(&route(33)).to_string());
    answer["response"]["status"]["message"].clone()
}

fn review(object: &Value) -> Value {
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
        "kind": {"group": "gateway.networking.k8s.io", "version": "v1", "kind": object["kind"]},
        "name": "shop", "namespace": "web", "operation": "CREATE", "userInfo": {"username": ALICE}, "object": object,
    }})
}

/// An HTTPRoute with this number of parents, none of which exists.
fn route(parents: usize) -> Value {
    let parent = |number: usize| match number {
        0 => json!({"name": "edge"}),
        _ => json!({"name": format!("edge-{number}")}),
    };
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
        "metadata": {"namespace": "web", "name": "shop"},
        "spec": {
            "parentRefs": (0..parents).map(parent).collect::<Vec<_>>(),
            "rules": [{"backendRefs": [{"name": "cart", "port": 80}]}],
        },
    })
}

fn gateway() -> Value {
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
        "metadata": {"namespace": "default", "name": "other"},
        "spec": {"gatewayClassName": "public", "listeners": [{"name": "web", "port": 80, "protocol": "HTTP"}]},
    })
}
