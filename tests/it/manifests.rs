//! The shipped manifests on a real API server, with two changes: the Service is an external name for this machine,
//! since no pods run here, and the webhooks use the port on which the server listens.

mod gateway_output;
pub mod installation;

use libtest_mimic::Trial;
use portcullis_core::kinds::Kind;
use serde_json::{Value, json};

use crate::harness::{eventually, on_cluster, on_gateway_cluster};
use installation::{Installation, documents, ingress, rendered};

pub fn trials() -> Vec<Trial> {
    vec![
        on_cluster("manifests::path_of_another_team_is_denied", path_of_another_team_is_denied),
        on_cluster("manifests::the_default_class_is_filled_in", the_default_class_is_filled_in),
        on_cluster("manifests::excluded_namespaces_are_not_reviewed", excluded_namespaces_are_not_reviewed),
        on_cluster("manifests::all_defaults_of_the_webhooks_are_written_out", all_defaults_are_written_out),
        on_cluster("manifests::the_pods_satisfy_the_restricted_level", the_pods_satisfy_the_restricted_level),
        on_cluster(
            "manifests::service_account_may_read_only_supported_kinds",
            service_account_may_read_only_supported_kinds,
        ),
        on_gateway_cluster("manifests::kubectl_output_matches_golden_files", gateway_output::golden_output),
    ]
}

const ACCOUNT: &str = "system:serviceaccount:portcullis:portcullis";

/// Actions that the ServiceAccount must not be allowed: reading other objects, and any write that names no own object.
const FORBIDDEN: [&str; 14] = [
    "get secrets",
    "list secrets --namespace=portcullis",
    "get configmaps --namespace=portcullis",
    "list pods",
    "create events",
    "update ingresses",
    "patch ingresses --subresource=status",
    "create leases --namespace=portcullis",
    "patch leases/other --namespace=portcullis",
    "delete leases/portcullis --namespace=portcullis",
    "patch validatingwebhookconfigurations",
    "patch validatingwebhookconfigurations/other",
    "get secrets/other --namespace=portcullis",
    "list customresourcedefinitions",
];

fn path_of_another_team_is_denied() {
    let output = Installation::shared().apply("team-b", "copy");
    output.refused_with(
        "path /cart on shop.example.com is already served by Ingress web/shop (class public); if each has its own load balancer, ask the platform team to set `dataPlanes` [host/path-conflict]",
    );
}

fn the_default_class_is_filled_in() {
    let installed = Installation::shared();
    let class = json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "IngressClass", "spec": {"controller": "example.com/edge"},
        "metadata": {"name": "only", "annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}},
    });
    installed.kubectl("apply -f -", &class.to_string()).accepted();
    let classless = ingress("blog").replace(r#""ingressClassName":"public","#, "").replace("shop.", "blog.");
    let (http, list) = (installed.control_plane.http(), "/apis/networking.k8s.io/v1/namespaces/web/ingresses");
    eventually("Portcullis fills in the class", || {
        let (status, answer) = http.dry_run(list, &classless);
        assert_eq!(status, 201, "{answer}");
        answer["spec"]["ingressClassName"] == "only"
    });
}

fn excluded_namespaces_are_not_reviewed() {
    let installed = Installation::shared();
    for namespace in ["kube-system", "portcullis"] {
        let creation = format!("create --dry-run=server --namespace={namespace} -f -");
        installed.kubectl(&creation, &ingress("copy")).accepted();
    }
}

fn all_defaults_are_written_out() {
    let installed = Installation::shared();
    for written in installed.webhooks() {
        let kind = written["kind"].as_str().expect("a manifest has a kind");
        let stored = installed.control_plane.kubectl(&format!("get {kind} portcullis --output=json")).run().json();
        assert_eq!(
            stored["webhooks"], written["webhooks"],
            "the API server has added to manifests/webhooks: write it out"
        );
    }
}

fn the_pods_satisfy_the_restricted_level() {
    let installed = Installation::shared();
    let base = documents(&rendered(&installed.control_plane, "manifests"));
    let deployment = base.iter().find(|document| document["kind"] == "Deployment").expect("there is a Deployment");
    let mut pod = deployment["spec"]["template"].clone();
    (pod["apiVersion"], pod["kind"]) = ("v1".into(), "Pod".into());
    (pod["metadata"]["name"], pod["metadata"]["namespace"]) = ("portcullis".into(), "portcullis".into());
    // No controller runs here that would set the status of the quota, without which no pod is admitted.
    let status = r#"--patch={"status": {"hard": {"pods": "100"}, "used": {"pods": "0"}}}"#;
    let quota = "patch resourcequota/portcullis-critical-pods --namespace=portcullis --subresource=status";
    installed.control_plane.kubectl(quota).arg(status).run().accepted();
    let create = |pod: &Value| installed.kubectl("create --dry-run=server -f -", &pod.to_string());

    create(&pod).accepted();
    pod["spec"]["securityContext"] = json!({});
    create(&pod).refused_with("violates PodSecurity \"restricted");
}

fn service_account_may_read_only_supported_kinds() {
    let control_plane = &Installation::shared().control_plane;
    let http = control_plane.http();
    // In all namespaces. `kubectl auth can-i` would require that the kind is served.
    let may = |verb: &str, group: &str, resource: &str, name: &str| {
        http.may(ACCOUNT, &json!({"verb": verb, "group": group, "resource": resource, "name": name}))
    };
    for api in Kind::ALL.map(Kind::api) {
        for verb in ["get", "list", "watch"] {
            assert!(may(verb, api.group, api.plural, ""), "{verb} {}", api.plural);
        }
    }
    for api in Kind::ALL.into_iter().filter(|kind| kind.is_gateway_api()).map(Kind::api) {
        let name = format!("{}.{}", api.plural, api.group);
        assert!(may("get", "apiextensions.k8s.io", "customresourcedefinitions", &name), "{name}");
    }
    assert!(!may("get", "apiextensions.k8s.io", "customresourcedefinitions", "widgets.example.com"));
    let answer = |words: &str| control_plane.kubectl(&format!("auth can-i {words}")).acting_as(ACCOUNT).run().stdout;
    for words in FORBIDDEN {
        assert_eq!(answer(words), "no\n", "{words}");
    }
}
