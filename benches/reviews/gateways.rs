//! The objects of the Gateway API other than routes: a class, Gateways with their listeners, and grants between
//! namespaces.

use portcullis_core::kinds::Kind;
use serde_json::{Value, json};

use crate::objects::{NAMESPACES, Object, namespace_name, namespace_of, object};

/// The controller of all Gateways.
pub const CONTROLLER: &str = "example.com/gateway-controller";

const CLASS: &str = "shared";
/// The number of Gateways.
pub const GATEWAYS: usize = 200;
/// The number of listeners of each Gateway.
pub const LISTENERS: usize = 64;
/// The number of other namespaces from which routes may refer to the Services of a namespace.
const GRANTS: usize = 5;

/// The parent of a route: a Gateway, and one of its listeners or all.
#[derive(Clone, Copy)]
pub struct Parent {
    /// The number of the Gateway.
    pub gateway: usize,
    /// The number of the listener that serves the host of the route.
    pub listener: usize,
    /// Whether the reference names the listener.
    pub by_section: bool,
}

impl Parent {
    /// The parent as an element of `parentRefs`.
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

    /// A host for `name` that the listener serves.
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

/// Allows HTTPRoutes in namespace number `from` to refer to Services in namespace number `to`.
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
