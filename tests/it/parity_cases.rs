//! The Ingresses for which the parity checks are compared with the API server: a valid one, and variants of it in which
//! one or two fields have other values.

use serde_json::{Value, json};

/// An Ingress, named after its changed fields.
pub struct Case {
    pub name: String,
    pub object: Value,
}

/// A JSON pointer and its new value. Both sides treat `null` as absent.
type Edit = (&'static str, Value);

/// The valid Ingress.
pub fn ingress() -> Value {
    json!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": "shop"},
        "spec": {"rules": [{
            "host": "shop.example.com",
            "http": {"paths": [{"path": "/cart", "pathType": "Prefix", "backend": service(json!({"number": 80}))}]},
        }]},
    })
}

const NAME: &str = "/metadata/name";
const PREFIX: &str = "/metadata/generateName";
const ANNOTATIONS: &str = "/metadata/annotations";
const CLASS: &str = "/spec/ingressClassName";
const DEFAULT: &str = "/spec/defaultBackend";
const TLS: &str = "/spec/tls";
const RULES: &str = "/spec/rules";
const HOST: &str = "/spec/rules/0/host";
const HTTP: &str = "/spec/rules/0/http";
const PATH: &str = "/spec/rules/0/http/paths/0/path";
const TYPE: &str = "/spec/rules/0/http/paths/0/pathType";
const BACKEND: &str = "/spec/rules/0/http/paths/0/backend";

/// The Ingresses to create.
pub fn creations() -> Vec<Case> {
    let mut cases = vec![case([])];
    cases.extend(singles().into_iter().map(|edit| case([edit])));
    cases.extend(paths().into_iter().map(case));
    cases.extend(classes().into_iter().map(case));
    cases.extend(prefixes().into_iter().map(case));
    cases.extend(pairs().into_iter().map(case));
    cases.push(case([(RULES, Value::Null), (DEFAULT, service(json!({"name": "http"})))]));
    cases.push(case([(TYPE, Value::Null), (PATH, Value::Null)]));
    cases.push(case([(TYPE, Value::Null), (BACKEND, json!({}))]));
    cases
}

/// An Ingress with a wildcard host whose Service name begins with a digit.
pub fn wildcard_to_digit() -> Value {
    let game = json!({"service": {"name": "2048-game", "port": {"number": 80}}});
    case([(HOST, json!("*.example.com")), (BACKEND, game)]).object
}

/// The updates of an Ingress with a wildcard host, in all fields that a rule may have besides the host.
pub fn updates() -> Vec<Case> {
    let host = || (HOST, json!("*.example.com"));
    let of_the_rule = singles().into_iter().filter(|(object_ref, _)| [HTTP, TYPE, BACKEND].contains(object_ref));
    let mut cases: Vec<_> = of_the_rule.map(|edit| case([host(), edit])).collect();
    cases.extend(paths().into_iter().map(|[kind, path]| case([host(), kind, path])));
    cases
}

/// The status updates of a stored Ingress.
pub fn statuses() -> Vec<Case> {
    let point = |field: &'static str, text: &str| {
        let status = json!({"loadBalancer": {"ingress": [{"hostname": "lb.example.com"}, {field: text}]}});
        case([("/status", status)])
    };
    let ips = ["", "10.0.0.1", "2001:db8::68", "2001:DB8::68", "::", "010.0.0.1", "::ffff:10.0.0.1", "::ffff:0a00:1"];
    let broken = ["10.0.0.256", "10.0.0", "10.0.0.1:80", "fe80::1%eth0", "[::1]", "lb.example.com", " 10.0.0.1"];
    let ips = ips.into_iter().chain(broken).map(|ip| point("ip", ip));
    let hostnames = hosts().into_iter().map(|host| point("hostname", &host));
    ips.chain(hostnames).collect()
}

/// Changes of one field.
fn singles() -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    edits.extend(subdomains().into_iter().map(|name| (NAME, json!(name))));
    edits.extend(subdomains().into_iter().map(|class| (CLASS, json!(class))));
    edits.extend(subdomains().into_iter().map(|secret| (TLS, json!([{"secretName": "shop"}, {"secretName": secret}]))));
    edits.extend(hosts().into_iter().map(|host| (HOST, json!(host))));
    edits.extend(hosts().into_iter().map(|host| (TLS, json!([{"hosts": ["shop.example.com", host]}]))));
    for object_ref in [DEFAULT, BACKEND] {
        edits.extend(backends().into_iter().map(|backend| (object_ref, backend)));
    }
    edits.extend([json!("prefix"), json!("Regex"), json!(""), Value::Null].map(|kind| (TYPE, kind)));
    edits.extend([json!({}), json!({"paths": []}), Value::Null].map(|http| (HTTP, http)));
    edits.extend([json!([]), Value::Null].map(|rules| (RULES, rules)));
    edits.extend([json!([{}]), json!([{"hosts": []}]), json!([])].map(|tls| (TLS, tls)));
    edits
}

/// Names that are valid according to DNS-1123, and invalid ones.
fn subdomains() -> Vec<String> {
    let mut names = vec!["a".repeat(253), "a".repeat(254)];
    let short =
        ["", "a", "7", "shop.v2-a", "Shop", "shop_1", "-shop", "shop-", "shop.", ".shop", "a..b", "a.-b", "schön"];
    names.extend(short.map(str::to_owned));
    names
}

/// Hosts, wildcards, addresses, and invalid texts.
fn hosts() -> Vec<String> {
    let mut hosts = subdomains();
    let wildcards =
        ["*.example.com", "*.com", "*", "*.", "*.*.example.com", "f*.example.com", "shop.*.com", "*.Example.com"];
    let addresses =
        ["10.0.0.1", "010.000.00.0001", "10.0.0.256", "10.0.1", "1.2.3.4.5", "::1", "2001:db8::68", "::ffff:10.0.0.1"];
    let others = ["shop.example.com:8080", "shop.example.com.", "shop example.com", "[::1]", "10.0.0.1:80"];
    hosts.extend(wildcards.into_iter().chain(addresses).chain(others).map(str::to_owned));
    hosts.extend([251, 252].map(|length| format!("*.{}", "a".repeat(length))));
    hosts
}

/// Every path with every type.
fn paths() -> Vec<[Edit; 2]> {
    let absolute =
        ["/", "/cart", "/cart/", "/.well-known", "/...", "/a/..b", "/a/b..", "/cart%20x", "/%2e%2e/x", "/a?b#c"];
    let broken =
        ["", "cart", "*", "//", "/a//b", "/a/./b", "/a/../b", "/a/.", "/a/..", "/.", "/..", "/%2f", "/%2F", "/%2f%2F"];
    let both = ["bad//../x", "./a", "..", "a/..", "//./..", "/a//./../%2f/.", "//%2F", "%2f"];
    let paths = absolute.into_iter().chain(broken).chain(both);
    let typed = |path: &'static str| {
        ["Exact", "Prefix", "ImplementationSpecific"].map(|kind| [(TYPE, json!(kind)), (PATH, json!(path))])
    };
    paths.flat_map(typed).collect()
}

/// Backends, most of which are invalid.
fn backends() -> Vec<Value> {
    let resource = json!({"apiGroup": "storage.example.com", "kind": "Bucket", "name": "files"});
    let mut backends = vec![json!({}), json!({"service": null}), json!({"resource": resource})];
    backends.push(json!({"service": {"name": "cart"}, "resource": resource}));
    backends.push(json!({"service": {}, "resource": {}}));
    backends
        .extend([json!({}), json!({"name": "cart"}), json!({"port": {"number": 80}})].map(|it| json!({"service": it})));
    let numbers = [i64::from(i32::MIN), -1, 0, 1, 65_535, 65_536, i64::from(i32::MAX), i64::from(i32::MAX) + 1];
    backends.extend(numbers.map(|number| service(json!({"number": number}))));
    let names =
        ["", "http", "http-2", "a23456789012345", "a234567890123456", "80", "http--2", "-http", "http-", "HTTP", "a_b"];
    backends.extend(names.map(|name| service(json!({"name": name}))));
    backends
        .extend([("http", 80), ("-", 70_000)].map(|(name, number)| service(json!({"name": name, "number": number}))));
    let services = ["", "2048-game", "7", "Cart", "cart.web", "-cart", "cart-", "cart_1"].map(str::to_owned);
    let services = services.into_iter().chain([63, 64].map(|length| "a".repeat(length)));
    backends.extend(services.map(|name| json!({"service": {"name": name, "port": {"number": 80}}})));
    backends.extend(resources().into_iter().map(|resource| json!({"resource": resource})));
    backends
}

fn resources() -> Vec<Value> {
    let mut resources = vec![json!({}), json!({"kind": "Bucket"}), json!({"name": "files"})];
    resources.extend([".", "..", "a/b", "a%b", "...", "Bücket", "a b"].map(|text| json!({"kind": text, "name": text})));
    let groups = ["", "acme.io", "acme.io/networking", "Acme.io", "acme"];
    resources.extend(groups.map(|group| json!({"apiGroup": group, "kind": "Bucket", "name": "files"})));
    resources
}

/// Combinations of the class annotation and the class field.
fn classes() -> Vec<[Edit; 2]> {
    let annotation = |class: &str| (ANNOTATIONS, json!({"kubernetes.io/ingress.class": class}));
    let pairs = [("nginx", json!("nginx")), ("nginx", json!("internal")), ("nginx", Value::Null), ("", json!("nginx"))];
    pairs.map(|(written, field)| [annotation(written), (CLASS, field)]).into()
}

/// A prefix for generated names instead of a name.
fn prefixes() -> Vec<[Edit; 2]> {
    let prefixes = ["shop-", "shop", "a--", "2048-", "Shop", "shop_-", "shop.", "-", ""];
    prefixes.map(|prefix| [(NAME, Value::Null), (PREFIX, json!(prefix))]).into()
}

/// Two faults at once.
fn pairs() -> Vec<[Edit; 2]> {
    let faults = [
        (NAME, json!("Shop")),
        (CLASS, json!("")),
        (TLS, json!([{"hosts": ["*"], "secretName": "a/b"}])),
        (DEFAULT, json!({})),
        (HOST, json!("10.0.0.1")),
        (HOST, json!("*")),
        (PATH, json!("a//b/..")),
        (TYPE, json!("Regex")),
        (BACKEND, json!({"service": {"port": {"number": 70_000}}})),
        (BACKEND, json!({"resource": {"apiGroup": "a/b", "kind": "%"}})),
    ];
    let mut pairs = Vec::new();
    for (position, first) in faults.iter().enumerate() {
        let others = faults[position + 1..].iter().filter(|second| second.0 != first.0);
        pairs.extend(others.map(|second| [first.clone(), second.clone()]));
    }
    pairs
}

fn service(port: Value) -> Value {
    json!({"service": {"name": "cart", "port": port}})
}

/// The valid Ingress with these changes.
fn case<const N: usize>(edits: [Edit; N]) -> Case {
    let mut object = ingress();
    for (pointer, value) in &edits {
        let (parent, field) = pointer.rsplit_once('/').expect("a pointer has a slash");
        object.pointer_mut(parent).expect("the valid Ingress has the parent")[field] = value.clone();
    }
    let named = edits.map(|(pointer, value)| format!("{pointer}={value}"));
    Case { name: named.join(" "), object }
}
