//! The objects of the cluster: the class, the namespaces with their Services, and any number of other Ingresses. The
//! module `gateways` adds the objects of the Gateway API.

use portcullis_core::kinds::Kind;
use serde_json::{Value, json};

use crate::ingress::{CLASS, Ingress, SERVICES, Shape, usual_paths};
use crate::metadata::go_json;

/// The namespace of every reviewed Ingress.
pub const FIRST_NAMESPACE: &str = "team-000";

/// The number of namespaces.
pub const NAMESPACES: usize = 200;

/// One object, for a file or for an API server.
pub struct Object {
    /// The kind.
    pub kind: Kind,
    /// The namespace; empty for cluster-scoped kinds.
    pub namespace: String,
    /// The object as JSON.
    pub json: String,
}

/// The objects without which the reviews would have findings: a class, the namespaces, and the Services of each.
pub fn rest() -> impl Iterator<Item = Object> {
    let of_namespace = |number| {
        let services = (0..SERVICES).map(move |service| self::service(&namespace_name(number), service));
        std::iter::once(namespace(&namespace_name(number))).chain(services)
    };
    std::iter::once(class()).chain((0..NAMESPACES).flat_map(of_namespace))
}

/// `count` other Ingresses of 8.3 KB, distributed over the namespaces.
pub fn ingresses(count: usize) -> impl Iterator<Item = Object> {
    (0..count).map(|number| {
        let json = go_json(&of_number(number, Ingress::new));
        Object { kind: Kind::Ingress, namespace: namespace_of(number), json }
    })
}

/// The name of the other Ingress with this number, which is part of its hosts.
pub fn ingress_name(number: usize) -> String {
    format!("shop-{number:05}")
}

/// The namespace of the other object with this number.
pub fn namespace_of(number: usize) -> String {
    namespace_name(number % NAMESPACES)
}

/// Applies `make` to the shape of the other Ingress with this number.
pub fn of_number<T>(number: usize, make: impl FnOnce(&Shape<'_>) -> T) -> T {
    let (namespace, name) = (namespace_of(number), ingress_name(number));
    make(&Shape { namespace: &namespace, name: &name, hosts: 10, paths: usual_paths, prefix: "/api" })
}

/// An object with `value` as its JSON.
pub fn object(kind: Kind, namespace: &str, value: &Value) -> Object {
    Object { kind, namespace: namespace.to_owned(), json: go_json(value) }
}

fn class() -> Object {
    let class = json!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "IngressClass",
        "metadata": {"name": CLASS},
        "spec": {"controller": "example.com/ingress-controller"},
    });
    object(Kind::IngressClass, "", &class)
}

/// The name of the namespace with this number.
pub fn namespace_name(number: usize) -> String {
    format!("team-{number:03}")
}

fn namespace(name: &str) -> Object {
    let labels = json!({"kubernetes.io/metadata.name": name, "tenant": name.replace("team", "tenant")});
    let metadata = json!({"name": name, "labels": labels});
    object(Kind::Namespace, "", &json!({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}))
}

/// A headless Service, so that an API server need not allocate an address for it.
fn service(namespace: &str, number: usize) -> Object {
    let name = format!("svc-{number}");
    let ports = json!([{"name": "http", "port": 8080, "protocol": "TCP", "targetPort": 8080}]);
    let service = json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"clusterIP": "None", "ports": ports, "selector": {"app.kubernetes.io/name": name}},
    });
    object(Kind::Service, namespace, &service)
}
