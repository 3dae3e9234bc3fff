//! Random objects that decide the status of each other: few names, so that they meet often.

use portcullis_core::cluster::Facts;
use portcullis_core::kinds::{Kind, ObjectRef, decode};
use portcullis_core::matching::Host;
use portcullis_core::matching::claim_name::{host_of, name_of};
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

const NAMESPACES: [&str; 2] = ["a", "b"];
const NAMES: [&str; 2] = ["x", "y"];
const HOSTS: [&str; 5] = ["a.com", "*.a.com", "b.a.com", "*.com", "b.com"];
const TIMES: [&str; 3] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"];

/// The kinds of random objects.
pub const KINDS: [Kind; 12] = [
    Kind::GatewayClass,
    Kind::Gateway,
    Kind::Gateway,
    Kind::ListenerSet,
    Kind::HttpRoute,
    Kind::HttpRoute,
    Kind::GrpcRoute,
    Kind::TcpRoute,
    Kind::Service,
    Kind::ReferenceGrant,
    Kind::Namespace,
    Kind::BackendTlsPolicy,
];

/// The kinds of random objects that decide who owns a host.
pub const OWNING_KINDS: [Kind; 7] = [
    Kind::HostClaim,
    Kind::HostClaim,
    Kind::HostRequest,
    Kind::HostRequest,
    Kind::HttpRoute,
    Kind::Ingress,
    Kind::Namespace,
];

/// The reference to a random object of `kind`.
pub fn object_ref(rng: &mut Rng, kind: Kind) -> ObjectRef {
    let claim_name = |rng: &mut Rng| name_of(&Host::parse(rng.pick(&HOSTS))).expect("not every host").into_owned();
    match kind {
        Kind::HostClaim => ObjectRef::new(kind, "", &claim_name(rng)),
        Kind::HostRequest => ObjectRef::new(kind, rng.pick(&NAMESPACES), &claim_name(rng)),
        Kind::GatewayClass => ObjectRef::new(kind, "", rng.pick(&["own", "other"])),
        Kind::Namespace => ObjectRef::new(kind, "", rng.pick(&NAMESPACES)),
        _ => ObjectRef::new(kind, rng.pick(&NAMESPACES), rng.pick(&NAMES)),
    }
}

/// A random object at `object_ref`, as JSON.
pub fn object(rng: &mut Rng, object_ref: &ObjectRef) -> Value {
    let mut metadata = json!({"name": object_ref.name, "generation": rng.below(5)});
    if !object_ref.namespace.is_empty() {
        metadata["namespace"] = json!(object_ref.namespace);
    }
    if !rng.one_in(4) {
        metadata["creationTimestamp"] = json!(rng.pick(&TIMES));
    }
    if object_ref.kind == Kind::Namespace && rng.one_in(2) {
        metadata["labels"] = json!({"team": rng.pick(&NAMES)});
    }
    let mut object = json!({"metadata": metadata});
    if object_ref.kind != Kind::Namespace {
        object["spec"] = match object_ref.kind {
            Kind::HostClaim | Kind::HostRequest => host_spec(rng, object_ref),
            kind => spec(rng, kind),
        };
    }
    object
}

/// The facts of an object that [`object`] returned.
pub fn facts(kind: Kind, json: &str) -> Facts {
    Facts::of(&decode(kind, json).expect("a random object can be read"))
}

/// The specification of a HostClaim or a HostRequest with this name.
fn host_spec(rng: &mut Rng, object_ref: &ObjectRef) -> Value {
    let host = host_of(&object_ref.name).to_string();
    match object_ref.kind {
        Kind::HostRequest => json!({"host": host}),
        _ if rng.one_in(4) => json!({"host": host, "namespace": rng.pick(&NAMESPACES), "alsoServedBy": NAMESPACES}),
        _ => json!({"host": host, "namespace": rng.pick(&NAMESPACES)}),
    }
}

fn spec(rng: &mut Rng, kind: Kind) -> Value {
    match kind {
        Kind::Ingress => json!({"rules": [{"host": rng.pick(&HOSTS)}]}),
        Kind::GatewayClass => class(rng),
        Kind::Gateway => gateway(rng),
        Kind::ListenerSet => json!({
            "parentRef": {"name": rng.pick(&NAMES), "namespace": rng.pick(&NAMESPACES)}, "listeners": listeners(rng),
        }),
        Kind::Service => {
            json!({"ports": [{"port": rng.pick(&[80, 81]), "name": "web", "protocol": rng.pick(&["TCP", "TCP", "UDP"])}]})
        }
        Kind::ReferenceGrant => json!({
            "from": [{
                "group": "gateway.networking.k8s.io", "kind": rng.pick(&["HTTPRoute", "GRPCRoute"]),
                "namespace": rng.pick(&NAMESPACES),
            }],
            "to": [{"group": "", "kind": "Service"}],
        }),
        Kind::BackendTlsPolicy => policy(rng),
        _ => route(rng, kind),
    }
}

fn class(rng: &mut Rng) -> Value {
    let mut class = json!({"controllerName": "portcullis.dev/controller"});
    if rng.one_in(4) {
        class["controllerName"] = json!("example.com/controller");
    }
    if rng.one_in(6) {
        class["parametersRef"] = json!({"group": "example.com", "kind": "Settings", "name": "fast"});
    }
    class
}

fn gateway(rng: &mut Rng) -> Value {
    let mut gateway = json!({"gatewayClassName": rng.pick(&["own", "own", "other"]), "listeners": listeners(rng)});
    if rng.one_in(2) {
        gateway["allowedListeners"] = json!({"namespaces": namespaces(rng)});
    }
    if rng.one_in(4) {
        gateway["defaultScope"] = json!("All");
    }
    gateway
}

fn namespaces(rng: &mut Rng) -> Value {
    match rng.below(4) {
        0 => json!({"from": "Same"}),
        1 => json!({"from": "Selector", "selector": {"matchLabels": {"team": rng.pick(&NAMES)}}}),
        _ => json!({"from": "All"}),
    }
}

fn listeners(rng: &mut Rng) -> Value {
    let listener = |(rng, index): (&mut Rng, usize)| {
        let mut listener = json!({
            "name": format!("l{index}"), "port": rng.pick(&[80, 81]),
            "protocol": rng.pick(&["HTTP", "HTTP", "HTTP", "TCP", "acme.io/quic"]),
            "allowedRoutes": {"namespaces": namespaces(rng)},
        });
        if rng.one_in(3) && listener["protocol"] == "HTTP" {
            listener["hostname"] = json!(rng.pick(&HOSTS));
        }
        listener
    };
    (0..=rng.below(2)).map(|index| listener((&mut *rng, index))).collect()
}

fn parent(rng: &mut Rng) -> Value {
    let mut parent = json!({"name": rng.pick(&NAMES)});
    if rng.one_in(2) {
        parent["namespace"] = json!(rng.pick(&NAMESPACES));
    }
    if rng.one_in(3) {
        parent["sectionName"] = json!(rng.pick(&["l0", "l1"]));
    }
    if rng.one_in(5) {
        parent["port"] = json!(rng.pick(&[80, 81]));
    }
    if rng.one_in(4) {
        parent["kind"] = json!(rng.pick(&["ListenerSet", "ListenerSet", "Service"]));
    }
    parent
}

fn backend(rng: &mut Rng) -> Value {
    let mut backend = json!({"name": rng.pick(&NAMES), "port": rng.pick(&[80, 81])});
    if rng.one_in(3) {
        backend["namespace"] = json!(rng.pick(&NAMESPACES));
    }
    if rng.one_in(12) {
        backend["kind"] = json!("Bucket");
        backend["group"] = json!("example.com");
    }
    backend
}

fn route(rng: &mut Rng, kind: Kind) -> Value {
    let count = if kind == Kind::TcpRoute { 1 } else { 1 + rng.below(2) };
    let rules: Value = (0..count).map(|_| rule(rng, kind)).collect();
    let mut route = json!({"parentRefs": (0..rng.below(3)).map(|_| parent(rng)).collect::<Value>(), "rules": rules});
    if rng.one_in(2) && kind != Kind::TcpRoute {
        route["hostnames"] = json!([rng.pick(&HOSTS)]);
    }
    if rng.one_in(8) {
        route["useDefaultGateways"] = json!("All");
    }
    route
}

fn rule(rng: &mut Rng, kind: Kind) -> Value {
    let mut rule = json!({"backendRefs": [backend(rng)]});
    if kind == Kind::TcpRoute {
        return rule;
    }
    match rng.below(14) {
        0 => rule["filters"] = json!([{"type": "RequestMirror", "requestMirror": {"backendRef": backend(rng)}}]),
        1 => rule["filters"] = json!([{"type": "RequestCompression"}]),
        2 if kind == Kind::HttpRoute => {
            let redirect = json!({"type": "RequestRedirect", "requestRedirect": {"hostname": "a.com"}});
            let rewrite = json!({"type": "URLRewrite", "urlRewrite": {"hostname": "b.com"}});
            rule = json!({"filters": [redirect, rewrite]});
        }
        3 if kind == Kind::HttpRoute => rule["matches"] = json!([{"path": {"type": "Glob", "value": "/*"}}]),
        4 => rule["backendRefs"][0]["weight"] = json!(rng.pick(&[0, -1])),
        _ => {}
    }
    rule
}

fn policy(rng: &mut Rng) -> Value {
    let mut target = json!({"group": "", "kind": "Service", "name": rng.pick(&NAMES)});
    if rng.one_in(3) {
        target["sectionName"] = json!("web");
    }
    let validation = match rng.below(5) {
        0 => json!({"hostname": "a.com", "caCertificateRefs": [{"group": "", "kind": "ConfigMap", "name": "ca"}]}),
        1 => json!({"hostname": "a.com", "caCertificateRefs": [{"group": "", "kind": "Secret", "name": "ca"}]}),
        2 => json!({"hostname": "a.com"}),
        _ => json!({"hostname": "a.com", "wellKnownCACertificates": "System"}),
    };
    json!({"targetRefs": [target], "validation": validation})
}
