//! Objects of kinds that are not evaluated and that may change which requests are answered: policies of implementations that are
//! attached to routes and Gateways (GEP-713), routes of other APIs, and what tools render from.

use portcullis_core::compare::UnevaluatedObject;
use serde_json::Value;

/// The API groups, or their parents, whose objects change answers without being attached to an object that is evaluated.
const GROUPS: [&str; 42] = [
    "agentgateway.dev",
    "alb.networking.azure.io",
    "apisix.apache.org",
    "appgw.ingress.azure.io",
    "argoproj.io",
    "cilium.io",
    "cloud.google.com",
    "configuration.konghq.com",
    "consul.hashicorp.com",
    "contour.heptio.com",
    "core.haproxy.org",
    "discovery.k8s.io",
    "elbv2.k8s.aws",
    "gateway.envoyproxy.io",
    "gateway.kgateway.dev",
    "gateway.networking.k8s.io",
    "gateway.networking.x-k8s.io",
    "gateway.nginx.org",
    "gateway.solo.io",
    "getambassador.io",
    "haproxy.org",
    "helm.toolkit.fluxcd.io",
    "higress.io",
    "inference.networking.k8s.io",
    "inference.networking.x-k8s.io",
    "ingress.v1.haproxy.org",
    "istio.io",
    "k8s.nginx.org",
    "knative.dev",
    "kuadrant.io",
    "kuma.io",
    "kustomize.config.k8s.io",
    "linkerd.io",
    "multicluster.x-k8s.io",
    "networking.gke.io",
    "projectcontour.io",
    "route.openshift.io",
    "tailscale.com",
    "traefik.containo.us",
    "traefik.io",
    "voyagermesh.com",
    "zalando.org",
];

/// An object of a kind that is not checked, if it may change answers: one that is attached to others by `targetRef`, `targetRefs` or
/// `targetSelectors`, or one of a group of the table.
pub fn unevaluated(document: &Value, namespace: &str) -> Option<UnevaluatedObject> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let own = document["metadata"]["namespace"].as_str().unwrap_or(namespace);
    let object = match document["metadata"]["name"].as_str() {
        Some(name) => format!("{} {own}/{name}", text(&document["kind"])),
        None => text(&document["kind"]),
    };
    let spec = &document["spec"];
    let list = |field: &str| spec[field].as_array().into_iter().flatten();
    let target = |target: &Value| {
        let namespace = target["namespace"].as_str().unwrap_or(own);
        // A selector has no name, so it may select every object of its kind.
        format!("{} {namespace}/{}", text(&target["kind"]), text(&target["name"]))
    };
    let single = Some(&spec["targetRef"]).filter(|reference| !reference.is_null());
    let targets = single.into_iter().chain(list("targetRefs")).chain(list("targetSelectors"));
    let endpoints = endpoints_of(document).map(|service| format!("Service {own}/{service}"));
    let targets: Vec<String> = targets.map(target).chain(endpoints).collect();
    let group = document["apiVersion"].as_str().and_then(|version| version.split_once('/')).map(|(group, _)| group);
    let is_in =
        |group: &str, own: &str| group.strip_suffix(own).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    let is_of_traffic = group.is_some_and(|group| GROUPS.iter().any(|own| is_in(group, own)));
    let has_part = |target: &Value| !target["sectionName"].is_null();
    let is_selective =
        has_part(&spec["targetRef"]) || list("targetRefs").any(has_part) || list("targetSelectors").next().is_some();
    let content = || {
        let fields = document.as_object().into_iter().flatten();
        let own = fields.filter(|(name, _)| !matches!(name.as_str(), "apiVersion" | "metadata" | "status"));
        Value::Object(own.map(|(name, value)| (name.clone(), value.clone())).collect()).to_string()
    };
    let is_known = is_of_traffic || is_of_controller(document) || !targets.is_empty();
    is_known.then(|| UnevaluatedObject { object, targets, is_selective, content: content() })
}

/// A kustomization, from whose patches objects are rendered.
pub fn of_kustomization(document: &Value) -> UnevaluatedObject {
    let (targets, object) = (Vec::new(), "Kustomization".to_owned());
    UnevaluatedObject { object, targets, is_selective: false, content: document.to_string() }
}

/// The Service whose endpoints a document lists.
fn endpoints_of(document: &Value) -> Option<&str> {
    let metadata = &document["metadata"];
    match document["kind"].as_str()? {
        "EndpointSlice" => metadata["labels"]["kubernetes.io/service-name"].as_str(),
        "Endpoints" => metadata["name"].as_str(),
        _ => None,
    }
}

/// What the names of the ConfigMaps of controllers contain.
const CONFIG_MAPS: [&str; 6] =
    ["contour", "haproxy-ingress", "ingress-nginx", "nginx-configuration", "nginx-ingress", "traefik"];

/// Whether a document is the ConfigMap of a controller, of which some settings are evaluated at most.
fn is_of_controller(document: &Value) -> bool {
    let metadata = &document["metadata"];
    let is_named = metadata["name"].as_str().is_some_and(|name| CONFIG_MAPS.iter().any(|known| name.contains(known)));
    document["kind"] == "ConfigMap" && (is_named || metadata["labels"]["app.kubernetes.io/name"] == "ingress-nginx")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_form_of_a_target_counts() {
        let policy = json!({"kind": "SecurityPolicy", "metadata": {"name": "p"}, "spec": {
            "targetRefs": [{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "name": "r"}],
            "targetSelectors": [{"kind": "Gateway", "matchLabels": {"a": "b"}}]}});
        let found = unevaluated(&policy, "web").expect("a policy");
        assert_eq!(found.targets, ["HTTPRoute web/r", "Gateway web/"]);
        assert_eq!(found.object, "SecurityPolicy web/p");
        let single = json!({"kind": "P", "metadata": {"name": "p", "namespace": "a"}, "spec": {"targetRef":
            {"kind": "Gateway", "name": "g", "namespace": "edge"}}});
        assert_eq!(unevaluated(&single, "web").expect("a policy").targets, ["Gateway edge/g"]);
        assert_eq!(unevaluated(&json!({"kind": "P", "spec": {}}), "web"), None);
        let slice = json!({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
            "metadata": {"name": "cart-1", "labels": {"kubernetes.io/service-name": "cart"}}, "endpoints": []});
        assert_eq!(unevaluated(&slice, "web").expect("endpoints").targets, ["Service web/cart"]);
    }

    #[test]
    fn objects_of_groups_that_route_count_without_status_and_revision() {
        let service = |revision: &str| {
            json!({"apiVersion": "networking.istio.io/v1", "kind": "VirtualService", "metadata": {"name": "shop",
                "resourceVersion": revision}, "spec": {"hosts": ["shop.example.com"]}, "status": {"seen": revision}})
        };
        let found = unevaluated(&service("1"), "web").expect("it routes");
        assert_eq!(found.object, "VirtualService web/shop");
        assert_eq!(Some(found), unevaluated(&service("2"), "web"));
        let other = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "shop"}});
        assert_eq!(unevaluated(&other, "web"), None);
    }
}
