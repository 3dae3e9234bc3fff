//! HTTPRoutes of any size, as the API server writes custom resources: compact, with sorted keys, all CRD defaults, and
//! all metadata of a stored object.

use portcullis_core::kinds::Kind;
use serde_json::{Value, json};

use crate::gateways::{CONTROLLER, GATEWAYS, LISTENERS, Parent};
use crate::ingress::SERVICES;
use crate::metadata::{annotations, field_set, labels};
use crate::objects::{NAMESPACES, Object, namespace_name, namespace_of, object};

const API_VERSION: &str = "gateway.networking.k8s.io/v1";
const METHODS: [&str; 4] = ["GET", "POST", "PUT", "DELETE"];
/// The weights of the backends of a rule. Most requests go to the first.
const WEIGHTS: [u32; 3] = [80, 15, 5];

/// The properties in which one HTTPRoute differs from the others.
pub struct Shape<'a> {
    /// The namespace.
    pub namespace: &'a str,
    /// The name, which is also the first label of its hosts.
    pub name: &'a str,
    /// The namespace whose grant allows the route to mirror requests to its Services.
    pub mirror: &'a str,
    /// The parents. Each has a listener that serves one host of the route.
    pub parents: [Parent; 2],
    /// The number of rules, each with its own filters and backends.
    pub rules: usize,
    /// The number of matches of each rule.
    pub matches: usize,
}

/// `count` other HTTPRoutes of about 4 KB, distributed over the namespaces.
pub fn http_routes(count: usize) -> impl Iterator<Item = Object> {
    (0..count).map(|number| object(Kind::HttpRoute, &namespace_of(number), &http_route_of_number(number, http_route)))
}

/// Applies `make` to the shape of the other HTTPRoute with this number.
pub fn http_route_of_number(number: usize, make: fn(&Shape<'_>) -> Value) -> Value {
    let (namespace, mirror) = (namespace_of(number), namespace_name((number + NAMESPACES - 1) % NAMESPACES));
    let parent =
        |gateway| Parent { gateway: gateway % GATEWAYS, listener: number % LISTENERS, by_section: gateway == number };
    let parents = [parent(number), parent(number + 1)];
    let name = format!("shop-{number:05}");
    make(&Shape { namespace: &namespace, name: &name, mirror: &mirror, parents, rules: 1, matches: 4 })
}

/// The `HTTPRoute` of this shape. The same shape always gives the same bytes.
pub fn http_route(shape: &Shape<'_>) -> Value {
    json!({
        "apiVersion": API_VERSION,
        "kind": "HTTPRoute",
        "metadata": metadata(shape),
        "spec": spec(shape, rule),
        "status": status(shape),
    })
}

fn metadata(shape: &Shape<'_>) -> Value {
    json!({
        "annotations": annotations(shape.name),
        "creationTimestamp": "2026-11-02T08:15:30Z",
        "generation": 1,
        "labels": labels(shape.name),
        "managedFields": managed_fields(shape),
        "name": shape.name,
        "namespace": shape.namespace,
        "uid": "3f1b1d0e-84f5-4a0a-9c6f-2f6c1c3a7b21",
    })
}

/// Three field managers. The lists in a route's spec are atomic, so a field set contains only their names.
fn managed_fields(shape: &Shape<'_>) -> Value {
    let owned = json!({
        "f:metadata": {"f:annotations": field_set(&annotations(shape.name)), "f:labels": field_set(&labels(shape.name))},
        "f:spec": {"f:hostnames": {}, "f:parentRefs": {}, "f:rules": {}},
    });
    let ttl = json!({"f:metadata": {"f:annotations": {"f:external-dns.alpha.kubernetes.io/ttl": {}}}});
    let entry = |manager, operation, time, fields| {
        json!({
            "apiVersion": API_VERSION,
            "fieldsType": "FieldsV1",
            "fieldsV1": fields,
            "manager": manager,
            "operation": operation,
            "time": time,
        })
    };
    let mut of_status =
        entry("gateway-controller", "Update", "2026-11-02T08:15:42Z", json!({"f:status": {"f:parents": {}}}));
    of_status["subresource"] = json!("status");
    json!([
        entry("delivery", "Apply", "2026-11-02T08:15:30Z", owned),
        entry("dns-operator", "Update", "2026-11-02T08:15:36Z", ttl),
        of_status,
    ])
}

/// The `spec` for this shape, with the rules that `rule` makes.
pub fn spec(shape: &Shape<'_>, rule: fn(&Shape<'_>, usize) -> Value) -> Value {
    let parents: Value = shape.parents.iter().map(Parent::reference).collect();
    let hosts: Value = shape.parents.iter().map(|parent| parent.host_under(shape.name)).collect();
    let rules: Value = (0..shape.rules).map(|number| rule(shape, number)).collect();
    json!({"hostnames": hosts, "parentRefs": parents, "rules": rules})
}

fn rule(shape: &Shape<'_>, rule: usize) -> Value {
    let matches: Value = (0..shape.matches).map(|number| matched(rule, number)).collect();
    let backends: Value = (0..WEIGHTS.len()).map(|number| backend(rule, number)).collect();
    json!({"backendRefs": backends, "filters": filters(shape, rule), "matches": matches})
}

/// Alternates between prefix and exact path matches, with conditions of a canary rollout by header and client. Two
/// consecutive matches share a regular expression.
fn matched(rule: usize, number: usize) -> Value {
    let client = format!("^Mozilla/5\\.0 .*(Android|iPhone).*Shop/{rule}\\.{}$", number / 2);
    json!({
        "headers": [
            {"name": "x-storefront-release-train", "type": "Exact", "value": format!("2026-11-{rule:02}-canary")},
            {"name": "user-agent", "type": "RegularExpression", "value": client},
        ],
        "method": METHODS[number % METHODS.len()],
        "path": path(rule, number),
        "queryParams": [{"name": "region", "type": "Exact", "value": "eu-central"}],
    })
}

/// The path of one match.
pub fn path(rule: usize, number: usize) -> Value {
    let kind = if number.is_multiple_of(2) { "PathPrefix" } else { "Exact" };
    json!({"type": kind, "value": format!("/api/storefront/v{rule}/part-{number}")})
}

/// One filter for the request, one for the response, and one that mirrors the request to another namespace.
fn filters(shape: &Shape<'_>, rule: usize) -> Value {
    let add = json!([{"name": "x-storefront-rule", "value": format!("rule-{rule}")}]);
    let set = json!([{"name": "x-forwarded-prefix", "value": format!("/api/storefront/v{rule}")}]);
    let security = json!([{"name": "x-content-type-options", "value": "nosniff"}]);
    let mirror = json!({"group": "", "kind": "Service", "name": "svc-0", "namespace": shape.mirror, "port": 8080});
    json!([
        {"requestHeaderModifier": {"add": add, "remove": ["x-internal-trace"], "set": set}, "type": "RequestHeaderModifier"},
        {"responseHeaderModifier": {"remove": ["x-powered-by"], "set": security}, "type": "ResponseHeaderModifier"},
        {"requestMirror": {"backendRef": mirror, "percent": 5}, "type": "RequestMirror"},
    ])
}

fn backend(rule: usize, number: usize) -> Value {
    let service = format!("svc-{}", (WEIGHTS.len() * rule + number) % SERVICES);
    let set = json!([{"name": "x-storefront-backend", "value": service}]);
    json!({
        "filters": [{"requestHeaderModifier": {"set": set}, "type": "RequestHeaderModifier"}],
        "group": "",
        "kind": "Service",
        "name": service,
        "port": 8080,
        "weight": WEIGHTS[number],
    })
}

/// The status of a route that the controller has accepted for each parent.
fn status(shape: &Shape<'_>) -> Value {
    let condition = |kind, reason| {
        json!({
            "lastTransitionTime": "2026-11-02T08:15:42Z",
            "message": "",
            "observedGeneration": 1,
            "reason": reason,
            "status": "True",
            "type": kind,
        })
    };
    let conditions = json!([condition("Accepted", "Accepted"), condition("ResolvedRefs", "ResolvedRefs")]);
    let parents: Value = shape
        .parents
        .iter()
        .map(|parent| json!({"conditions": conditions, "controllerName": CONTROLLER, "parentRef": parent.reference()}))
        .collect();
    json!({"parents": parents})
}
