//! Every kind of the Gateway API that has a status, with the CRDs of both channels.

use serde_json::{Value, json};

use super::fixture::{Cluster, SOON, condition};
use super::objects::{address, gateway_class, proxy, service};
use super::routes::{CONFIG, at_rest, own};
use crate::harness::{Channel, NEWEST};

/// An object in the namespace `web`.
fn object(kind: &str, name: &str, spec: &Value) -> Value {
    let metadata = json!({"namespace": "web", "name": name});
    json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": kind, "metadata": metadata, "spec": spec})
}

fn listener(name: &str, port: u16, protocol: &str) -> Value {
    json!({"name": name, "port": port, "protocol": protocol})
}

/// A Gateway with a listener for each protocol, to which ListenerSets may add others.
fn gateway() -> Value {
    let tls = json!({"name": "tls", "port": 8443, "protocol": "TLS", "tls": {"mode": "Passthrough"}});
    let listeners = [listener("web", 80, "HTTP"), tls, listener("tcp", 5432, "TCP"), listener("udp", 53, "UDP")];
    let allowed = json!({"namespaces": {"from": "Same"}});
    object("Gateway", "edge", &json!({"gatewayClassName": "own", "listeners": listeners, "allowedListeners": allowed}))
}

/// A route of this kind to a listener of the Gateway, with a backend.
fn route(kind: &str, section: &str, hostnames: &[&str]) -> Value {
    let parents = json!([{"name": "edge", "sectionName": section}]);
    let backend =
        if kind == "UDPRoute" { json!({"name": "dns", "port": 53}) } else { json!({"name": "shop", "port": 80}) };
    let mut spec = json!({"parentRefs": parents, "rules": [{"backendRefs": [backend]}]});
    if !hostnames.is_empty() {
        spec["hostnames"] = json!(hostnames);
    }
    object(kind, "shop", &spec)
}

/// The routes, each with another one that no listener of its section accepts.
fn routes() -> [(Value, Value); 5] {
    [
        ("HTTPRoute", "web", "udp", &["shop.example.com"][..]),
        ("GRPCRoute", "web", "tcp", &["rpc.example.com"]),
        ("TLSRoute", "tls", "web", &["tls.example.com"]),
        ("TCPRoute", "tcp", "udp", &[]),
        ("UDPRoute", "udp", "tcp", &[]),
    ]
    .map(|(kind, right, wrong, hosts)| (route(kind, right, hosts), route(kind, wrong, hosts)))
}

/// The backend of the UDPRoute.
fn dns() -> Value {
    let spec = json!({"ports": [{"port": 53, "protocol": "UDP"}]});
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"namespace": "web", "name": "dns"}, "spec": spec})
}

fn policy() -> Value {
    let validation = json!({"hostname": "shop.example.com", "wellKnownCACertificates": "System"});
    let target = json!({"group": "", "kind": "Service", "name": "shop"});
    object("BackendTLSPolicy", "shop", &json!({"targetRefs": [target], "validation": validation}))
}

fn is(status: &Value, name: &str, value: &str) -> bool {
    condition(status, name)["status"] == value
}

/// Each kind gets its status, follows a change of its own and one of another object, and nothing is written at rest.
pub fn each_kind_has_a_status_in_both_channels() {
    for channel in [Channel::Standard, Channel::Experimental] {
        let cluster = Cluster::new();
        cluster.grant("gateway-status");
        cluster.apply(&proxy());
        cluster.patch_status(&proxy(), &address("192.0.2.1"));
        cluster.control_plane.install_gateway_api(NEWEST, channel);
        [gateway_class("own"), gateway(), service("web"), dns(), policy()]
            .iter()
            .for_each(|object| cluster.apply(object));
        let set = object(
            "ListenerSet",
            "more",
            &json!({"parentRef": {"name": "edge"}, "listeners": [listener("more", 8080, "HTTP")]}),
        );
        cluster.apply(&set);
        routes().iter().for_each(|(route, _)| cluster.apply(route));
        let server = cluster.replica(CONFIG);
        cluster.expect(&set, SOON * 20, |status| is(status, "Accepted", "True"));
        routes_follow(&cluster);
        listeners_follow(&cluster, &set);
        at_rest(&cluster, &server, &format!("{NEWEST} {channel:?}"));
        assert!(server.terminate().0.success());
    }
}

fn routes_follow(cluster: &Cluster) {
    for (right, wrong) in &routes() {
        let accepted = |status: &Value| is(own(status), "Accepted", "True") && is(own(status), "ResolvedRefs", "True");
        cluster.expect(right, SOON, accepted);
        cluster.apply(wrong);
        cluster.expect(right, SOON, |status| condition(own(status), "Accepted")["reason"] == "NotAllowedByListeners");
        cluster.apply(right);
        cluster.expect(right, SOON, accepted);
    }
    let listeners = |status: &Value| status["listeners"].as_array().map(|all| all.iter().map(attached).collect());
    cluster.expect(&gateway(), SOON, |status| listeners(status) == Some(vec![2, 1, 1, 1]));
    [service("web"), dns()].iter().for_each(|service| cluster.delete(service));
    for (route, _) in &routes() {
        let reason = |status: &Value| condition(own(status), "ResolvedRefs")["reason"].clone();
        cluster.expect(route, SOON, |status| reason(status) == "BackendNotFound");
    }
    [service("web"), dns()].iter().for_each(|service| cluster.apply(service));
}

fn attached(listener: &Value) -> u64 {
    listener["attachedRoutes"].as_u64().unwrap_or_default()
}

/// A ListenerSet follows its Gateway, and the policy has an entry for the Gateway whose routes use its Service.
fn listeners_follow(cluster: &Cluster, set: &Value) {
    let ancestor = |status: &Value| status["ancestors"][0].clone();
    cluster.expect(&policy(), SOON, |status| is(&ancestor(status), "Accepted", "True"));
    let mut closed = gateway();
    closed["spec"]["allowedListeners"] = json!({"namespaces": {"from": "None"}});
    cluster.apply(&closed);
    cluster.expect(set, SOON, |status| condition(status, "Accepted")["reason"] == "NotAllowed");
    cluster.apply(&gateway());
    cluster.expect(set, SOON, |status| is(status, "Accepted", "True"));
}
