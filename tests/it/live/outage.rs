//! Deletions and finalizers while the webhook is down, and which writes are still refused then.

use libtest_mimic::Trial;
use portcullis::files::Manifest;
use portcullis_core::kinds::Kind;
use portcullis_testing::pages::manifests;
use serde_json::{Value, json};

use super::fixture::{list_of, path_of, words_for};
use crate::cluster::server;
use crate::harness::{
    Channel, ControlPlane, Flavour, KubectlOutput, NEWEST, Webhooks, crds, delegation_crds, eventually,
    host_claim_crds, on_full_cluster,
};

pub fn trials() -> Vec<Trial> {
    vec![on_full_cluster("live::deletions_and_finalizers_work_without_a_replica", without_a_replica)]
}

fn without_a_replica() {
    let crds = [crds(NEWEST, Channel::Experimental), delegation_crds(), host_claim_crds()].concat();
    let control_plane = ControlPlane::serving(Flavour::Plain, crds);
    let bare: Vec<Manifest> = Kind::ALL.into_iter().filter(|kind| kind.is_validated()).map(bare).collect();
    let empty: Vec<Manifest> =
        bare.iter().filter_map(|manifest| stored_without_spec(&control_plane, manifest)).collect();
    assert!(
        empty.iter().any(|manifest| manifest.object_ref.kind == Kind::IngressRoute),
        "an IngressRoute needs no spec"
    );
    let large = [large_ingress(), large_proxy()];
    let (shop, going) = (ingress("shop", "shop.example.com"), ingress("going", "going.example.com"));
    bare.iter().chain(&large).chain([&shop, &going]).for_each(|manifest| store(&control_plane, manifest));

    let server = server(&control_plane, &[]);
    let _registered = control_plane.register(&server, Webhooks::validating());
    control_plane.kubectl(&format!("delete --wait=false {}", words_for(&going.object_ref))).run().accepted();
    let hijack = |manifest: &Manifest| hijacked(&control_plane, manifest);
    let hijackers = [going, ingress("another", "another.example.com")];
    eventually("Portcullis has seen the first Ingress", || hijack(&hijackers[0]).contains("[host/path-conflict]"));

    drop(server);
    let uncalled = "failed calling webhook";
    let refused = hijack(&hijackers[0]);
    assert!(refused.contains(uncalled), "a terminating object gained a host: {refused}");
    let (status, answer) = control_plane.http().post(&list_of(&hijackers[1]), hijackers[1].json.to_string());
    assert!(status >= 400 && answer.to_string().contains(uncalled), "{status} {answer}");
    patched(&control_plane, &bare[0], r#"{"metadata":{"labels":{"a":"b"}}}"#).refused_with(uncalled);
    patched(&control_plane, &bare[0], r#"{"metadata":{"annotations":{"a":"b"}}}"#).refused_with(uncalled);

    for manifest in bare.iter().chain(&empty).chain(&large) {
        patched(&control_plane, manifest, r#"{"metadata":{"finalizers":["example.com/other","example.com/keep"]}}"#)
            .accepted();
        control_plane.kubectl(&format!("delete --wait=false {}", words_for(&manifest.object_ref))).run().accepted();
        patched(&control_plane, manifest, r#"{"metadata":{"finalizers":null}}"#).accepted();
        assert_eq!(control_plane.http().get(&path_of(manifest)).0, 404, "{} is still there", manifest.object_ref);
    }
}

/// The response of the API server to an update that takes the host of another team.
fn hijacked(control_plane: &ControlPlane, manifest: &Manifest) -> String {
    let (_, stored) = control_plane.http().get(&path_of(manifest));
    let mut object: Value = serde_json::from_str(&stored).expect("an object is JSON");
    object["spec"]["rules"][0]["host"] = json!("shop.example.com");
    object["metadata"]["finalizers"] = json!([]);
    let (status, answer) = control_plane.http().put(&format!("{}?dryRun=All", path_of(manifest)), object.to_string());
    if status < 300 { String::new() } else { answer["message"].as_str().unwrap_or_default().to_owned() }
}

fn patched(control_plane: &ControlPlane, manifest: &Manifest, patch: &str) -> KubectlOutput {
    control_plane
        .kubectl(&format!("patch --type=merge {}", words_for(&manifest.object_ref)))
        .arg(format!("--patch={patch}"))
        .run()
}

fn store(control_plane: &ControlPlane, manifest: &Manifest) {
    let (status, answer) = control_plane.http().post(&list_of(manifest), manifest.json.to_string());
    assert_eq!(status, 201, "{}: {answer}", manifest.object_ref);
}

/// A variant of the object without a spec and with another name, if the API server stores it.
fn stored_without_spec(control_plane: &ControlPlane, manifest: &Manifest) -> Option<Manifest> {
    let mut object: Value = serde_json::from_str(&manifest.json).expect("a manifest is JSON");
    object.as_object_mut().expect("an object is a map").remove("spec");
    object["metadata"]["name"] = json!("empty");
    let manifest = manifest_of(&object);
    (control_plane.http().post(&list_of(&manifest), manifest.json.to_string()).0 == 201).then_some(manifest)
}

fn manifest_of(object: &Value) -> Manifest {
    manifests(&object.to_string()).remove(0)
}

/// An object of the kind in the namespace `default`, without labels and annotations, with a finalizer that prevents its
/// deletion.
fn bare(kind: Kind) -> Manifest {
    object(kind, "bare", &spec(kind))
}

fn object(kind: Kind, name: &str, spec: &Value) -> Manifest {
    let api = kind.api();
    let mut metadata = json!({"name": name, "finalizers": ["example.com/keep"]});
    if api.namespaced {
        metadata["namespace"] = json!("default");
    }
    let api_version = format!("{}/{}", api.group, api.versions[0]);
    manifest_of(&json!({"apiVersion": api_version, "kind": api.kind, "metadata": metadata, "spec": spec}))
}

/// A minimal spec that the API server accepts.
fn spec(kind: Kind) -> Value {
    let listener = json!({"name": "web", "port": 80, "protocol": "HTTP"});
    let rules = json!([{"backendRefs": [{"name": "cart", "port": 80}]}]);
    let service = json!({"group": "", "kind": "Service", "name": "cart"});
    match kind {
        Kind::Ingress => json!({"defaultBackend": {"service": {"name": "cart", "port": {"number": 80}}}}),
        Kind::IngressClass => json!({"controller": "example.com/a"}),
        Kind::GatewayClass => json!({"controllerName": "example.com/a"}),
        Kind::Gateway => json!({"gatewayClassName": "a", "listeners": [listener]}),
        Kind::ListenerSet => json!({"parentRef": {"name": "edge"}, "listeners": [listener]}),
        Kind::TlsRoute => json!({"hostnames": ["a.example.com"], "rules": rules}),
        Kind::TcpRoute | Kind::UdpRoute => json!({"rules": rules}),
        Kind::ReferenceGrant => json!({
            "from": [{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "namespace": "web"}],
            "to": [{"group": "", "kind": "Service"}],
        }),
        Kind::BackendTlsPolicy => json!({
            "targetRefs": [service],
            "validation": {"hostname": "a.example.com", "wellKnownCACertificates": "System"},
        }),
        Kind::HostClaim => json!({"host": "bare", "namespace": "default"}),
        Kind::TlsCertificateDelegation => json!({"delegations": [{"secretName": "a", "targetNamespaces": ["b"]}]}),
        _ => json!({}),
    }
}

fn ingress(name: &str, host: &str) -> Manifest {
    let backend = json!({"service": {"name": "cart", "port": {"number": 80}}});
    let paths = json!([{"path": "/", "pathType": "Prefix", "backend": backend}]);
    let namespace = if name == "shop" { "kube-public" } else { "default" };
    let mut manifest: Value = serde_json::from_str(
        &object(Kind::Ingress, name, &json!({"rules": [{"host": host, "http": {"paths": paths}}]})).json,
    )
    .expect("a manifest is JSON");
    manifest["metadata"]["namespace"] = json!(namespace);
    manifest_of(&manifest)
}

/// An Ingress of the maximum size of a request to the API server: 3 MiB of JSON.
fn large_ingress() -> Manifest {
    let path = |number: usize| {
        let backend = json!({"service": {"name": "a", "port": {"number": 1}}});
        json!({"path": format!("/{number}"), "pathType": "Exact", "backend": backend})
    };
    let paths: Vec<Value> = (0..32_000).map(path).collect();
    let manifest =
        object(Kind::Ingress, "large", &json!({"rules": [{"host": "a.example.com", "http": {"paths": paths}}]}));
    assert!((2_800_000..3 << 20).contains(&manifest.json.len()), "{} bytes", manifest.json.len());
    manifest
}

/// An HTTPProxy of 1.3 MB, which is just below the limit of etcd.
fn large_proxy() -> Manifest {
    let route = |number: usize| json!({"conditions": [{"prefix": format!("/{number}")}], "services": [{"name": "a", "port": 1}]});
    let routes: Vec<Value> = (0..18_500).map(route).collect();
    let manifest = object(Kind::HttpProxy, "large", &json!({"routes": routes}));
    assert!((1_250_000..1_400_000).contains(&manifest.json.len()), "{} bytes", manifest.json.len());
    manifest
}
