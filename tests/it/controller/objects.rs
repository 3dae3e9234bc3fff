//! The objects of the trials.

use serde_json::{Value, json};

/// An IngressRoute with this host, if it is a root, which serves a Service and delegates a prefix to other objects.
pub fn ingress_route(namespace: &str, name: &str, host: Option<&str>, delegates: &[(&str, &str)]) -> Value {
    let prefix = if host.is_some() { "/" } else { "/a" };
    let mut routes = vec![json!({"match": prefix, "services": [{"name": "shop", "port": 80}]})];
    for (prefix, to) in delegates {
        let (namespace, name) = to.split_once('/').expect("namespace/name");
        routes.push(json!({"match": prefix, "delegate": {"namespace": namespace, "name": name}}));
    }
    let mut spec = json!({"routes": routes});
    if let Some(host) = host {
        spec["virtualhost"] = json!({"fqdn": host});
    }
    json!({
        "apiVersion": "contour.heptio.com/v1beta1", "kind": "IngressRoute", "metadata": {"namespace": namespace, "name": name},
        "spec": spec,
    })
}

pub fn service(namespace: &str) -> Value {
    let spec = json!({"ports": [{"port": 80}]});
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"namespace": namespace, "name": "shop"}, "spec": spec})
}

pub fn gateway_class(name: &str) -> Value {
    let spec = json!({"controllerName": "portcullis.dev/controller"});
    json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "GatewayClass", "metadata": {"name": name}, "spec": spec})
}

pub fn gateway(name: &str, class: &str) -> Value {
    let spec = json!({"gatewayClassName": class, "listeners": [{"name": "web", "port": 80, "protocol": "HTTP"}]});
    let metadata = json!({"namespace": "web", "name": name});
    json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": metadata, "spec": spec})
}

/// An HTTPRoute of these Gateways with one backend.
pub fn http_route(name: &str, gateways: &[&str], host: &str) -> Value {
    let parents: Vec<Value> = gateways.iter().map(|name| json!({"name": name})).collect();
    let rule = json!({"backendRefs": [{"name": "shop", "port": 80}]});
    let spec = json!({"parentRefs": parents, "hostnames": [host], "rules": [rule]});
    let metadata = json!({"namespace": "web", "name": name});
    json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": metadata, "spec": spec})
}

/// An Ingress of this class with one backend.
pub fn ingress(name: &str, class: &str) -> Value {
    let spec =
        json!({"ingressClassName": class, "defaultBackend": {"service": {"name": "shop", "port": {"number": 80}}}});
    let metadata = json!({"namespace": "web", "name": name});
    json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": metadata, "spec": spec})
}

pub fn ingress_class(name: &str, controller: &str) -> Value {
    let spec = json!({"controller": controller});
    json!({"apiVersion": "networking.k8s.io/v1", "kind": "IngressClass", "metadata": {"name": name}, "spec": spec})
}

/// A Service through which traffic enters.
pub fn proxy() -> Value {
    let spec = json!({"type": "LoadBalancer", "ports": [{"port": 80}]});
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"namespace": "web", "name": "proxy"}, "spec": spec})
}

/// The status of a Service or an Ingress with an address.
pub fn address(ip: &str) -> Value {
    json!({"loadBalancer": {"ingress": [{"ip": ip}]}})
}
