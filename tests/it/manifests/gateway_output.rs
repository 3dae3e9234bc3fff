//! The exact output of kubectl about the Gateway API.

use std::fs;

use portcullis_testing::golden;

use super::installation::{Installation, shipped_config};
use crate::harness::{Channel, ControlPlane, Flavour, NEWEST, crds, eventually, process_guard};

/// The objects that exist before the tenant's commands. There is no default class yet.
const SCENE: &str = "
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: public, annotations: {portcullis.dev/routabilities: 'Public, Cluster'}}
spec: {controllerName: example.com/gateway-controller}
---
apiVersion: v1
kind: Service
metadata: {namespace: web, name: cart}
spec: {ports: [{port: 80}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {namespace: web, name: edge}
spec:
  gatewayClassName: public
  listeners:
  - {name: shop, port: 80, protocol: HTTP, hostname: '*.example.com', allowedRoutes: {namespaces: {from: All}}}
";

const OWNERSHIP: &str = "
hostOwnership:
  hosts:
  - {host: shop.example.com, namespaces: {names: [web]}}
";

pub fn golden_output() {
    let installed = installed();
    let difference = |name, manifest: &str| {
        let command = "apply -f -";
        golden::differs(name, &installed.kubectl(command, manifest).in_terminal(command))
    };
    let mut wrong = vec![
        difference("gateway_without_a_class", &gateway("classless", "")),
        difference("gateway_routability_almost", &gateway("famous", PUBLICITY)),
        difference("route_section_missing", &route("web", "{name: edge, sectionName: shopp}", "shop.example.com", "")),
        difference("route_host_of_others", &route("team-b", "{name: edge, namespace: web}", "shop.example.com", "")),
        difference("route_header_matched_twice", &route("web", "{name: edge}", "shop.example.com", CANARY)),
    ];

    let mark = "annotate gatewayclass/public gatewayclass.portcullis.dev/is-default-class=true";
    installed.kubectl(mark, "").accepted();
    let classless = gateway("classless", "");
    let (http, list) = (installed.control_plane.http(), "/apis/gateway.networking.k8s.io/v1/namespaces/web/gateways");
    eventually("the default class is known", || http.dry_run(list, &classless).0 == 201);
    wrong.push(difference("gateway_of_the_default_class", &classless));
    let class = "get gateway/classless --namespace=web --output=jsonpath={.spec.gatewayClassName}";
    assert_eq!(installed.kubectl(class, "").accepted().stdout, "public");

    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The complete installation with the CRDs of the newest bundle. Returns after the server knows the initial objects.
fn installed() -> Installation {
    let config = process_guard().folder("gateway-words").join("config.yaml");
    let shipped = fs::read_to_string(shipped_config()).expect("it is in the repository");
    fs::write(&config, shipped + OWNERSHIP).expect("our folder is writable");
    let control_plane = ControlPlane::serving(Flavour::NoDefaultIngressClass, crds(NEWEST, Channel::Standard));
    let installed = Installation::on(control_plane, &config);
    installed.kubectl("apply -f -", SCENE).accepted();
    for plural in ["gatewayclasses", "gateways", "services"] {
        eventually("the stored objects are known", || installed.knows(plural));
    }
    installed
}

const PUBLICITY: &str = "
  gatewayClassName: public
  infrastructure: {annotations: {portcullis.dev/routability: Publicity}}";

const CANARY: &str = "
  - matches: [{headers: [{name: X-Canary, value: 'yes'}, {name: x-canary, value: always}]}]";

/// A Gateway in `web` whose spec begins with these lines.
fn gateway(name: &str, lines: &str) -> String {
    format!(
        "
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {{namespace: web, name: {name}}}
spec:{lines}
  listeners: [{{name: shop, port: 80, protocol: HTTP, hostname: {name}.example.com}}]
"
    )
}

/// An HTTPRoute with this parent and host. `rules` may add rules before the last one.
fn route(namespace: &str, parent: &str, host: &str, rules: &str) -> String {
    format!(
        "
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {{namespace: {namespace}, name: cart}}
spec:
  parentRefs: [{parent}]
  hostnames: [{host}]
  rules:{rules}
  - backendRefs: [{{name: cart, port: 80}}]
"
    )
}
