//! The Gateway API's part of the cluster beside its routes: a class, Gateways with their listeners, and grants between namespaces.

use portcullis_core::kinds::Kind;
use serde_json::{Value, json};

use crate::objects::{NAMESPACES, Object, namespace_name, namespace_of, object};

/// Who serves every Gateway here.
pub const CONTROLLER: &str = "example.com/gateway-controller";

const CLASS: &str = "shared";
/// How many Gateways there are.
pub const GATEWAYS: usize = 200;
/// How many listeners each Gateway has.
pub const LISTENERS: usize = 64;
/// Into how many other namespaces the routes of each may refer.
const GRANTS: usize = 5;

/// What a route attaches to: a Gateway by number, and one of its listeners or all.
#[derive(Clone, Copy)]
pub struct Parent {
    /// The number of the Gateway.
    pub gateway: usize,
    /// The listener under whose host the route has its own.
    pub listener: usize,
    /// Whether the reference names the listener.
    pub by_section: bool,
}

impl Parent {
    /// It as one of `parentRefs`.
    pub fn reference(&self) -> Value {
        let mut reference = json!({
            "group": "gateway.networking.k8s.io",
            "kind": "Gateway",
            "name": gateway_name(self.gateway),
            "namespace": namespace_of(self.gateway),
        });
        if self.by_section {
            reference["sectionName"] = json!(section(self.listener));
        }
        reference
    }

    /// A host of its own under that of the listener.
    pub fn host_under(&self, name: &str) -> String {
        format!("{name}.{}", zone(self.gateway, self.listener))
    }
}

/// The class, the Gateways and the grants.
pub fn all() -> impl Iterator<Item = Object> {
    let grants = (0..NAMESPACES).flat_map(|to| (1..=GRANTS).map(move |step| grant(to, (to + step) % NAMESPACES)));
    std::iter::once(class()).chain((0..GATEWAYS).map(gateway)).chain(grants)
}

fn gateway_name(number: usize) -> String {
    format!("edge-{number:03}")
}

fn section(number: usize) -> String {
    format!("zone-{number:02}")
}

fn zone(gateway: usize, listener: usize) -> String {
    format!("zone-{listener:02}.edge-{gateway:03}.example.com")
}

fn class() -> Object {
    let class = json!({
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "GatewayClass",
        "metadata": {"name": CLASS},
        "spec": {"controllerName": CONTROLLER},
    });
    object(Kind::GatewayClass, "", &class)
}

fn gateway(number: usize) -> Object {
    let listener = |listener| {
        let name = section(listener);
        json!({
            "allowedRoutes": {"namespaces": {"from": "All"}},
            "hostname": format!("*.{}", zone(number, listener)),
            "name": name,
            "port": 443,
            "protocol": "HTTPS",
            "tls": {
                "certificateRefs": [{"group": "", "kind": "Secret", "name": format!("{name}-tls")}],
                "mode": "Terminate",
            },
        })
    };
    let listeners: Value = (0..LISTENERS).map(listener).collect();
    let namespace = namespace_of(number);
    let gateway = json!({
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": {"name": gateway_name(number), "namespace": namespace},
        "spec": {"gatewayClassName": CLASS, "listeners": listeners},
    });
    object(Kind::Gateway, &namespace, &gateway)
}

/// Lets the HTTPRoutes of the namespace with the second number refer to the Services of that with the first.
fn grant(to: usize, from: usize) -> Object {
    let (namespace, from) = (namespace_name(to), namespace_name(from));
    let grant = json!({
        "apiVersion": "gateway.networking.k8s.io/v1beta1",
        "kind": "ReferenceGrant",
        "metadata": {"name": format!("from-{from}"), "namespace": namespace},
        "spec": {
            "from": [{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "namespace": from}],
            "to": [{"group": "", "kind": "Service"}],
        },
    });
    object(Kind::ReferenceGrant, &namespace, &grant)
}
