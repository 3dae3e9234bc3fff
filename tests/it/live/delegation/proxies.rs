//! The same for HTTPProxy, where includes correspond to delegations, and a default that must be enabled.

use serde_json::{Value, json};

use super::super::fixture::ClusterFixture;
use super::kubectl_commands::{apply, document, edited, replace, services};

/// An object from before the webhook, as for IngressRoutes.
pub fn a_bad_proxy_stays_editable(fixture: &ClusterFixture<'_>) {
    services(fixture, "web", &["shop"]);
    let spec = json!({
        "virtualhost": {"fqdn": "legacy.example.com"},
        "routes": [
            {"conditions": [{"prefix": "/a"}, {"exact": "/b"}], "services": [{"name": "shop", "port": 80}]},
            {"services": [{"name": "shop", "port": 80}]},
        ],
    });
    let mut legacy = document("HTTPProxy", "web", "legacy", &spec);
    fixture.set_text(&legacy.to_string());

    let output = edited(fixture, "httpproxies.projectcontour.io/legacy", "web").accepted();
    assert!(output.stderr.contains("[http-proxy/path-conditions-invalid]"), "{output}");

    // With another route in front, the fault has another index, but is still the same fault.
    let more = json!({"conditions": [{"prefix": "/c"}], "services": [{"name": "shop", "port": 80}]});
    let routes = legacy["spec"]["routes"].as_array_mut().expect("routes are a list");
    routes.insert(0, more);
    let output = replace(fixture, &legacy).accepted();
    assert!(output.stderr.contains("[http-proxy/path-conditions-invalid]"), "{output}");

    legacy["spec"]["routes"][0]["conditions"][0]["prefix"] = json!("c");
    replace(fixture, &legacy).refused_with("spec.routes[0].conditions[0].prefix: `c` must start with `/`");
}

/// Only if the configuration enables the default.
pub fn a_proxy_gets_its_class(fixture: &ClusterFixture<'_>) {
    services(fixture, "web", &["shop"]);
    let spec =
        json!({"virtualhost": {"fqdn": "shop.example.com"}, "routes": [{"services": [{"name": "shop", "port": 80}]}]});
    let proxy = document("HTTPProxy", "web", "shop", &spec);
    let class = || {
        let create = fixture.kubectl("create --dry-run=server -o json -f -").stdin(&proxy.to_string());
        create.run().json()["spec"]["ingressClassName"].take()
    };
    assert_eq!(class(), Value::Null);

    fixture.configure("defaults: {http-proxy/ingress-class-default: {class: public}}\n");
    assert_eq!(class(), "public");
}

/// The same scenarios for HTTPProxy, where includes correspond to delegations.
pub fn a_host_of_proxies(fixture: &ClusterFixture<'_>) {
    services(fixture, "web", &["blue", "green"]);
    let root = |namespace: &str, colour: &str| {
        document(
            "HTTPProxy",
            namespace,
            "shop",
            &json!({
                "virtualhost": {"fqdn": "shop.example.com"},
                "includes": [{"name": colour, "namespace": "web", "conditions": [{"prefix": "/"}]}],
            }),
        )
    };
    let part = |colour: &str| {
        document(
            "HTTPProxy",
            "web",
            colour,
            &json!({"routes": [
                {"services": [{"name": colour, "port": 80, "weight": 90}, {"name": "green", "port": 80, "weight": 10}]},
            ]}),
        )
    };
    let output = apply(fixture, &root("web", "green")).accepted();
    assert!(
        output.stderr.contains("HTTPProxy web/green not found: requests of this include get 502 until it exists"),
        "{output}"
    );
    for object in [part("green"), part("blue")] {
        let output = apply(fixture, &object).accepted();
        assert!(!output.stderr.contains("Warning"), "{output}");
    }

    apply(fixture, &root("team-a", "blue"))
        .refused_with("host shop.example.com is already claimed by HTTPProxy web/shop;");
    let mut cycle = part("green");
    cycle["spec"]["includes"] = json!([{"name": "green"}]);
    apply(fixture, &cycle).refused_with("spec.includes[0]: this include closes a cycle: web/green -> web/green");
    let mut role = part("green");
    role["spec"]["virtualhost"] = json!({"fqdn": "green.example.com"});
    apply(fixture, &role).refused_with("[http-proxy/include-is-root]");
    let output =
        fixture.kubectl("delete httpproxies.projectcontour.io/green --namespace=web --dry-run=server").run().accepted();
    assert!(
        output.stderr
            .contains("HTTPProxy web/shop still includes this object and will answer 502 for the included paths: remove the include first"),
        "{output}"
    );
}
