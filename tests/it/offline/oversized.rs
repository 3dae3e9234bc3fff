//! Objects with more entries than the view keeps. An object that may be among the dropped entries is not known to be
//! absent.

use serde_json::{Value, json};

use super::{folder, lint};

/// More entries than are kept of one object.
const MANY: usize = 20_001;

/// Whether `lint` prints `words` for a folder with these objects.
fn is_found(words: &str, objects: &[Value]) -> bool {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
    let folder = folder(&[("all.json", &list)]);
    let (_, printed, errors) = lint(folder.path(), &["--complete", "--root-namespaces=web"]);
    assert!(printed.contains("would be denied"), "{printed}{errors}");
    printed.contains(words)
}

fn delegation(namespaces: Vec<String>) -> Value {
    json!({
        "apiVersion": "projectcontour.io/v1", "kind": "TLSCertificateDelegation",
        "metadata": {"namespace": "certs", "name": "all"},
        "spec": {"delegations": [{"secretName": "wild", "targetNamespaces": namespaces}]},
    })
}

fn ingress_route(namespace: &str, name: &str, more: Value) -> Value {
    let mut route = json!({
        "apiVersion": "contour.heptio.com/v1beta1", "kind": "IngressRoute",
        "metadata": {"namespace": namespace, "name": name}, "spec": more,
    });
    route["spec"]["routes"].as_array_mut().expect("it has routes").reverse();
    route
}

pub fn dropped_entries_are_not_absent() {
    let root = json!({
        "apiVersion": "projectcontour.io/v1", "kind": "HTTPProxy", "metadata": {"namespace": "web", "name": "shop"},
        "spec": {
            "virtualhost": {"fqdn": "shop.example.com", "tls": {"secretName": "certs/wild"}},
            "routes": [{"services": [{"name": "shop", "port": 80}]}],
        },
    });
    let others = |number: usize| (0..number).map(|number| format!("n{number}")).collect::<Vec<_>>();
    let with_web = |number| [others(number), vec!["web".to_owned()]].concat();
    let not_lent = "delegates Secret `wild` to web";
    assert!(is_found(not_lent, &[root.clone(), delegation(others(2))]), "it is known not to be delegated");
    assert!(!is_found(not_lent, &[root.clone(), delegation(with_web(2))]));
    assert!(!is_found(not_lent, &[root, delegation(with_web(MANY))]));

    let child =
        ingress_route("team", "child", json!({"routes": [{"match": "/", "services": [{"name": "a", "port": 80}]}]}));
    let leading = |number: usize, name: &str| {
        let delegate = json!({"name": name, "namespace": "team"});
        let last = std::iter::once(json!({"match": "/child", "delegate": delegate}));
        let routes = (0..number).map(|number| json!({"match": format!("/{number}"), "delegate": {"name": "other"}}));
        let host = json!({"fqdn": "shop.example.com"});
        ingress_route("web", "root", json!({"virtualhost": host, "routes": last.chain(routes).collect::<Vec<_>>()}))
    };
    let orphaned = "[ingress-route/orphaned]";
    assert!(is_found(orphaned, &[child.clone(), leading(2, "another")]));
    assert!(!is_found(orphaned, &[child.clone(), leading(2, "child")]));
    assert!(!is_found(orphaned, &[child, leading(MANY, "child")]));
}
