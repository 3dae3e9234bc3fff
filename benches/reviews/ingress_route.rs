//! IngressRoutes of any size, as the API server writes custom resources: compact, with sorted keys and all metadata of
//! a stored object.

use portcullis_core::kinds::Kind;
use serde_json::{Value, json};

use crate::ingress::SERVICES;
use crate::metadata::{LAST_APPLIED, annotations, field_set, labels, last_applied};
use crate::objects::{Object, namespace_of, object};

const API_VERSION: &str = "contour.heptio.com/v1beta1";

/// The properties in which one IngressRoute differs from the others.
pub struct Shape<'a> {
    /// The namespace.
    pub namespace: &'a str,
    /// The name.
    pub name: &'a str,
    /// The host of the root.
    pub host: &'a str,
    /// The number of prefixes, each with two services.
    pub routes: usize,
}

/// The `IngressRoute` of this shape. The same shape always gives the same bytes.
pub fn ingress_route(shape: &Shape<'_>) -> Value {
    let (mut annotations, labels) = (annotations(shape.name), labels(shape.name));
    let purpose = "The paths that the storefront serves by itself; all else is delegated to the teams behind it";
    annotations.insert("example.com/purpose", purpose.to_owned());
    let routes: Value = (0..shape.routes).map(route).collect();
    let tls = json!({"minimumProtocolVersion": "1.2", "secretName": "storefront-tls"});
    let spec = json!({"routes": routes, "virtualhost": {"fqdn": shape.host, "tls": tls}});
    let metadata =
        json!({"annotations": annotations, "labels": labels, "name": shape.name, "namespace": shape.namespace});
    let manifest = json!({"apiVersion": API_VERSION, "kind": "IngressRoute", "metadata": metadata, "spec": spec});
    annotations.insert(LAST_APPLIED, last_applied(&manifest));
    let owned = json!({
        "f:metadata": {"f:annotations": field_set(&annotations), "f:labels": field_set(&labels)},
        "f:spec": {"f:routes": {}, "f:virtualhost": {"f:fqdn": {}, "f:tls": {"f:secretName": {}}}},
    });
    json!({
        "apiVersion": API_VERSION,
        "kind": "IngressRoute",
        "metadata": {
            "annotations": annotations,
            "creationTimestamp": "2026-11-02T08:15:30Z",
            "generation": 1,
            "labels": labels,
            "managedFields": [{
                "apiVersion": API_VERSION,
                "fieldsType": "FieldsV1",
                "fieldsV1": owned,
                "manager": "kubectl-client-side-apply",
                "operation": "Update",
                "time": "2026-11-02T08:15:30Z",
            }],
            "name": shape.name,
            "namespace": shape.namespace,
            "uid": "3f1b1d0e-84f5-4a0a-9c6f-2f6c1c3a7b21",
        },
        "spec": spec,
    })
}

fn route(number: usize) -> Value {
    let service = |step: usize, weight: u32| {
        json!({
            "healthCheck": {"intervalSeconds": 10, "path": "/healthz", "timeoutSeconds": 2},
            "name": format!("svc-{}", (2 * number + step) % SERVICES),
            "port": 8080,
            "strategy": "WeightedLeastRequest",
            "weight": weight,
        })
    };
    let retries = json!({"count": 3, "perTryTimeout": "150ms"});
    json!({
        "match": format!("/api/storefront/v{number}"),
        "retryPolicy": retries,
        "services": [service(0, 90), service(1, 10)],
        "timeoutPolicy": {"request": "15s"},
    })
}

/// `count` other roots, each with its own host.
pub fn roots(count: usize) -> impl Iterator<Item = Object> {
    (0..count).map(|number| {
        let (namespace, name, host) = (namespace_of(number), format!("root-{number:05}"), host_of(number));
        let shape = Shape { namespace: &namespace, name: &name, host: &host, routes: 2 };
        object(Kind::IngressRoute, &namespace, &ingress_route(&shape))
    })
}

/// The host of the other root with this number.
pub fn host_of(number: usize) -> String {
    format!("root-{number:05}.example.com")
}
