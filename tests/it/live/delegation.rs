//! Delegated hosts with a real API server: the CRDs, the scenarios of the design document, and objects that were
//! invalid before the webhook was installed.

mod kubectl_commands;
mod proxies;

use libtest_mimic::Trial;
use serde_json::json;

use self::kubectl_commands::{apply, create, document, edited, replace, services, stored};
use super::fixture::{ClusterFixture, RegisteredWebhooks};
use crate::harness::{ControlPlane, Flavour, delegation_crds, on_contour_cluster};

pub fn trials() -> Vec<Trial> {
    vec![on_contour_cluster("live::hosts_by_delegation", hosts_by_delegation)]
}

/// The scenarios that store objects. Each begins with an empty cluster.
fn hosts_by_delegation() {
    let control_plane = ControlPlane::serving(Flavour::Plain, delegation_crds());
    let fixture = ClusterFixture::new(&control_plane, RegisteredWebhooks::Both, "profile: audit\n");
    for test in [
        every_spelling_survives,
        columns_and_status,
        one_host,
        delegation_to_a_team,
        blue_and_green,
        a_canary,
        a_bad_route_stays_editable,
        proxies::a_bad_proxy_stays_editable,
        proxies::a_proxy_gets_its_class,
        proxies::a_host_of_proxies,
    ] {
        fixture.configure("profile: baseline\n");
        test(&fixture);
        fixture.clear();
    }
}

/// The design document spells the list of services in three ways, and the TLS version in two.
fn every_spelling_survives(fixture: &ClusterFixture<'_>) {
    let service = json!({"name": "shop", "port": 80, "weight": 10});
    let routes = json!([
        {"match": "/list", "services": [service]},
        {"match": "/old-list", "service": [service, {"name": "trial", "port": 80}]},
        {"match": "/map", "service": service},
    ]);
    let spec = json!({
        "virtualhost": {"fqdn": "shop.example.com", "tls": {"secretName": "shop", "minimumProtocolVersion": 1.3}},
        "healthCheck (Optional)": {"path": "/healthz", "intervalSeconds": 60, "timeoutSeconds": 30},
        "routes": routes,
    });
    fixture.set_text(&document("IngressRoute", "web", "shop", &spec).to_string());

    assert_eq!(stored(fixture, "ingressroute", "web", "shop")["spec"], spec);
}

/// `kubectl get` prints the columns of the design document, and a status does not change the spec.
fn columns_and_status(fixture: &ClusterFixture<'_>) {
    let spec = json!({
        "virtualhost": {"fqdn": "shop.example.com", "tls": {"secretName": "shop-tls"}},
        "routes": [{"match": "/", "services": [{"name": "shop", "port": 80}]}],
    });
    let mut root = document("IngressRoute", "web", "shop", &spec);
    fixture.set_text(&root.to_string());
    fixture.set_text(
        &document("HTTPProxy", "web", "shop", &json!({"virtualhost": {"fqdn": "shop.example.com"}})).to_string(),
    );
    root["spec"]["virtualhost"]["fqdn"] = json!("changed.example.com");
    root["status"] = json!({"currentStatus": "valid", "description": "valid IngressRoute", "observedGeneration": 1});
    let path = "/apis/contour.heptio.com/v1beta1/namespaces/web/ingressroutes/shop";
    root["metadata"]["resourceVersion"] =
        stored(fixture, "ingressroute", "web", "shop")["metadata"]["resourceVersion"].clone();
    let (code, answer) = fixture.http.put(&format!("{path}/status"), root.to_string());
    assert_eq!(code, 200, "{answer}");

    let columns = |kind: &str| {
        let output = fixture.kubectl(&format!("get {kind} --namespace=web")).run().accepted().stdout;
        output
            .lines()
            .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect())
            .collect()
    };
    let [head, line]: [Vec<String>; 2] = Vec::try_into(columns("ingressroutes.contour.heptio.com")).expect("two lines");
    assert_eq!(head, ["NAME", "FQDN", "TLS SECRET", "STATUS", "STATUS DESCRIPTION"]);
    assert_eq!(line, ["shop", "shop.example.com", "shop-tls", "valid", "valid IngressRoute"]);
    let [head, line]: [Vec<String>; 2] = Vec::try_into(columns("httpproxies.projectcontour.io")).expect("two lines");
    assert_eq!(head, ["NAME", "FQDN", "TLS SECRET", "STATUS", "STATUS DESCRIPTION"]);
    assert_eq!(line, ["shop", "shop.example.com", "NotReconciled", "Waiting for controller"], "as the CRD has it");
}

fn one_host(fixture: &ClusterFixture<'_>) {
    services(fixture, "web", &["shop"]);
    let root = |namespace: &str| {
        document(
            "IngressRoute",
            namespace,
            "shop",
            &json!({
                "virtualhost": {"fqdn": "shop.example.com"}, "routes": [{"match": "/", "service": {"name": "shop", "port": 80}}],
            }),
        )
    };

    apply(fixture, &root("web")).accepted();

    let words = "host shop.example.com is already claimed by IngressRoute";
    apply(fixture, &root("team-a")).refused_with(words);

    // A second root is also refused as long as the watch has not delivered the first one.
    let quick = |number: usize, namespace: &str| {
        let mut root = root(namespace);
        root["metadata"]["name"] = format!("quick-{number}").into();
        root["spec"]["virtualhost"]["fqdn"] = format!("quick-{number}.example.com").into();
        root
    };
    let pairs: Vec<_> =
        (0..10).flat_map(|number| ["web", "team-a"].map(|namespace| quick(number, namespace))).collect();
    let output = create(fixture, &pairs);
    assert_eq!(output.stdout.lines().count(), 10, "{output}");
    let refused = (0..10)
        .filter(|number| output.stderr.contains(&format!("already claimed by IngressRoute web/quick-{number};")));
    assert_eq!(refused.count(), 10, "{output}");
}

/// The root owns the host, and a team in another namespace owns a prefix of it.
fn delegation_to_a_team(fixture: &ClusterFixture<'_>) {
    services(fixture, "web", &["shop"]);
    services(fixture, "team-a", &["finance", "finance-static"]);
    fixture.configure("profile: baseline\nrootNamespaces: {IngressRoute: [web]}\n");
    apply(
        fixture,
        &document(
            "IngressRoute",
            "web",
            "shop",
            &json!({
                "virtualhost": {"fqdn": "www.example.com"},
                "routes": [
                    {"match": "/", "service": [{"name": "shop", "port": 80}]},
                    {"match": "/finance", "delegate": {"name": "finance", "namespace": "team-a"}},
                ],
            }),
        ),
    )
    .accepted();
    let mut vertex = document(
        "IngressRoute",
        "team-a",
        "finance",
        &json!({"routes": [
            {"match": "/finance", "service": [{"name": "finance", "port": 80}]},
            {"match": "/finance/static", "service": [{"name": "finance-static", "port": 80}]},
        ]}),
    );
    apply(fixture, &vertex).accepted();

    // The team also tries to own a host.
    vertex["spec"]["virtualhost"] = json!({"fqdn": "finance.example.com"});
    apply(fixture, &vertex).refused_with("roots are not allowed in namespace `team-a`");
}

/// The delegation of the root switches from one object to the other. Both exist all the time.
fn blue_and_green(fixture: &ClusterFixture<'_>) {
    services(fixture, "web", &["blue", "green"]);
    let root = |colour: &str| {
        document(
            "IngressRoute",
            "web",
            "shop",
            &json!({
                "virtualhost": {"fqdn": "shop.example.com"}, "routes": [{"match": "/", "delegate": {"name": colour}}],
            }),
        )
    };
    let part = |colour: &str| {
        document(
            "IngressRoute",
            "web",
            colour,
            &json!({
                "routes": [{"match": "/", "services": [{"name": colour, "port": 80}]}],
            }),
        )
    };
    for object in [root("blue"), part("blue"), part("green")] {
        apply(fixture, &object).accepted();
    }

    apply(fixture, &root("green")).accepted();
    apply(fixture, &root("blue")).accepted();
    apply(fixture, &root("green")).accepted();

    let delegate = stored(fixture, "ingressroute", "web", "shop")["spec"]["routes"][0]["delegate"]["name"].clone();
    assert_eq!(delegate, "green");
}

/// Traffic moves from one Service to the other by weight.
fn a_canary(fixture: &ClusterFixture<'_>) {
    services(fixture, "web", &["old", "new"]);
    for weight in [0, 10, 50, 100] {
        let services =
            json!([{"name": "old", "port": 80, "weight": 100 - weight}, {"name": "new", "port": 80, "weight": weight}]);
        let root = document(
            "IngressRoute",
            "web",
            "shop",
            &json!({
                "virtualhost": {"fqdn": "shop.example.com"}, "routes": [{"match": "/", "services": services}],
            }),
        );
        apply(fixture, &root).accepted();
        assert_eq!(stored(fixture, "ingressroute", "web", "shop")["spec"]["routes"][0]["services"], services);
    }
}

/// An object from before the webhook: an edit that does not concern its fault is admitted with a warning, and an edit
/// that adds another fault is denied.
fn a_bad_route_stays_editable(fixture: &ClusterFixture<'_>) {
    fixture.configure("profile: baseline\nrootNamespaces: {IngressRoute: [web]}\n");
    services(fixture, "team-a", &["shop"]);
    let spec = json!({
        "virtualhost": {"fqdn": "legacy.example.com"}, "routes": [{"match": "/", "services": [{"name": "shop", "port": 80}]}],
    });
    let mut legacy = document("IngressRoute", "team-a", "legacy", &spec);
    fixture.set_text(&legacy.to_string());
    let owner = json!({
        "virtualhost": {"fqdn": "taken.example.com"}, "routes": [{"match": "/", "services": [{"name": "shop", "port": 80}]}],
    });
    fixture.set_text(&document("IngressRoute", "web", "owner", &owner).to_string());

    let output = edited(fixture, "ingressroutes.contour.heptio.com/legacy", "team-a").accepted();
    assert!(output.stderr.contains("[ingress-route/root-namespace-not-allowed]"), "{output}");

    legacy["spec"]["virtualhost"]["fqdn"] = json!("taken.example.com");
    replace(fixture, &legacy).refused_with("[ingress-route/fqdn-conflict]");
}
