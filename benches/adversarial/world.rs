//! Clusters in which one tenant has stored as much as the limits of the CRDs allow, so that a review of one more object
//! must compare with as much as possible. There is one for each family of checks that compare objects.

use portcullis_core::cluster::Facts;
use portcullis_core::kinds::{Kind, decode};
use serde_json::{Value, json};

/// The namespace of the attacker.
pub const TENANT: &str = "team-b";
/// The namespace of the other team. Its name sorts after that of the tenant.
pub const OTHER: &str = "web";

/// The largest numbers of listeners, parents, hosts, rules, and matches per rule that the schemas allow.
const LISTENERS: usize = 64;
const PARENTS: usize = 32;
const HOSTS: usize = 16;
const RULES: usize = 16;
const MATCHES: usize = 8;
/// The number of elements of the largest objects without such limits.
const LARGE: usize = 19_990;

/// The stored objects, and one that is created in addition.
pub struct World {
    /// The kinds that are compared, for tables and messages.
    pub name: &'static str,
    /// The stored objects.
    pub stored: Vec<(Kind, Value)>,
    /// The kind of the reviewed object.
    pub kind: Kind,
    /// The reviewed object, in the namespace of the tenant.
    pub reviewed: Value,
}

impl World {
    /// What the view keeps of the stored objects.
    pub fn facts(&self) -> Vec<Facts> {
        self.stored.iter().map(|(kind, object)| facts(*kind, object)).collect()
    }
}

/// What the view keeps of an object.
pub fn facts(kind: Kind, object: &Value) -> Facts {
    let json = object.to_string();
    Facts::of(&decode(kind, &json).expect("the objects of a world can be read"))
}

/// All worlds, one after another.
pub fn all() -> impl Iterator<Item = World> {
    let worlds: [fn() -> World; 20] = [
        routes_on_listener_sets,
        routes_on_one_gateway,
        tls_routes,
        http_beside_grpc,
        tcp_routes,
        listener_sets,
        ingresses,
        || {
            let annotation = ("nginx.ingress.kubernetes.io/use-regex", "true");
            expressions("Expressions of ingress-nginx on 4 hosts", "nginx", "", annotation)
        },
        || expressions("Expressions of Kong on 4 hosts", "kong", "/~", ("konghq.com/protocols", "http")),
        || {
            let annotation = ("ingress.cilium.io/loadbalancer-mode", "shared");
            expressions("Expressions of Cilium on 4 hosts", "cilium", "", annotation)
        },
        header_expressions,
        || wildcard(wildcard_paths("nowhere")),
        policies,
        grants,
        delegations,
        includes,
        || {
            large_ingress("an Ingress of 19,990 paths", |number| {
                ("shop.b.example.org".to_owned(), format!("/{number}"))
            })
        },
        || large_ingress("an Ingress of 19,990 hosts", |number| (format!("h{number}.b.example.org"), "/".to_owned())),
        large_ingress_route,
        large_http_proxy,
    ];
    worlds.into_iter().map(|world| world())
}

/// Ten routes and one more on 32 ListenerSets of 64 listeners each.
pub fn routes_on_listener_sets() -> World {
    let routes = (0..10).map(|number| (Kind::HttpRoute, http_route(TENANT, &format!("r{number}"), sets(PARENTS))));
    let stored = listener_sets_of("HTTP").chain(routes).collect();
    let reviewed = http_route(TENANT, "more", sets(PARENTS));
    World { name: "HTTPRoutes on 32 ListenerSets", stored, kind: Kind::HttpRoute, reviewed }
}

/// A hundred routes and one more on one Gateway of 64 listeners.
pub fn routes_on_one_gateway() -> World {
    let parent = json!([{"name": "edge"}]);
    let routes = (0..100).map(|number| (Kind::HttpRoute, http_route(TENANT, &format!("r{number}"), parent.clone())));
    let stored = std::iter::once(gateway("HTTP")).chain(routes).collect();
    let reviewed = http_route(TENANT, "more", parent.clone());
    World { name: "HTTPRoutes on one Gateway", stored, kind: Kind::HttpRoute, reviewed }
}

pub fn tls_routes() -> World {
    let route = |name: &str| {
        let spec = json!({"parentRefs": sets(PARENTS), "hostnames": hosts(), "rules": [{"backendRefs": [backend()]}]});
        object(Kind::TlsRoute, TENANT, name, spec)
    };
    let routes = (0..100).map(|number| (Kind::TlsRoute, route(&format!("r{number}"))));
    let stored = listener_sets_of("TLS").chain(routes).collect();
    World { name: "TLSRoutes on 32 ListenerSets", stored, kind: Kind::TlsRoute, reviewed: route("more") }
}

pub fn http_beside_grpc() -> World {
    let route = |name: &str| {
        let spec = json!({"parentRefs": sets(PARENTS), "hostnames": hosts(), "rules": [{"backendRefs": [backend()]}]});
        object(Kind::GrpcRoute, TENANT, name, spec)
    };
    let routes = (0..100).map(|number| (Kind::GrpcRoute, route(&format!("r{number}"))));
    let stored = listener_sets_of("HTTP").chain(routes).collect();
    let reviewed = http_route(TENANT, "more", sets(PARENTS));
    World { name: "an HTTPRoute beside GRPCRoutes", stored, kind: Kind::HttpRoute, reviewed }
}

/// The stored routes refer to other listeners of the same parents.
pub fn tcp_routes() -> World {
    let route = |name: &str, section: bool| {
        let parents = (0..PARENTS).map(|set| match section {
            true => json!({"kind": "ListenerSet", "name": format!("set-{set}"), "sectionName": "nowhere"}),
            false => json!({"kind": "ListenerSet", "name": format!("set-{set}")}),
        });
        let spec = json!({"parentRefs": parents.collect::<Value>(), "rules": [{"backendRefs": [backend()]}]});
        object(Kind::TcpRoute, TENANT, name, spec)
    };
    let routes = (0..500).map(|number| (Kind::TcpRoute, route(&format!("r{number}"), true)));
    let stored = listener_sets_of("TCP").chain(routes).collect();
    World { name: "TCPRoutes on 32 ListenerSets", stored, kind: Kind::TcpRoute, reviewed: route("more", false) }
}

/// A thousand ListenerSets of one Gateway, all on one port.
pub fn listener_sets() -> World {
    let set = |name: &str| {
        let listener = |number: usize| {
            let host = format!("{name}-{number}.b.example.org");
            json!({"name": format!("l{number}"), "port": 443, "protocol": "HTTP", "hostname": host})
        };
        let listeners = (0..LISTENERS).map(listener).collect::<Value>();
        object(Kind::ListenerSet, TENANT, name, json!({"parentRef": {"name": "edge"}, "listeners": listeners}))
    };
    let stored = std::iter::once(gateway("HTTP"));
    let stored = stored.chain((0..1_000).map(|number| (Kind::ListenerSet, set(&format!("s{number}"))))).collect();
    World { name: "ListenerSets of one Gateway", stored, kind: Kind::ListenerSet, reviewed: set("more") }
}

/// A hundred Ingresses with the same 2,000 paths, and one more that has each of them twice.
pub fn ingresses() -> World {
    let ingress = |name: &str, count: usize| {
        let backend = json!({"service": {"name": "s", "port": {"number": 80}}});
        let path =
            |number: usize| json!({"path": format!("/{}", number % 2_000), "pathType": "Prefix", "backend": backend});
        let paths = (0..count).map(path).collect::<Value>();
        let rules = json!([{"host": "shop.b.example.org", "http": {"paths": paths}}]);
        object(Kind::Ingress, TENANT, name, json!({"ingressClassName": "public", "rules": rules}))
    };
    let stored = (0..100).map(|number| (Kind::Ingress, ingress(&format!("i{number}"), 2_000))).collect();
    World { name: "Ingresses of the same paths", stored, kind: Kind::Ingress, reviewed: ingress("more", 4_000) }
}

/// An Ingress whose paths are the largest expressions, on hosts that another namespace serves as well.
fn expressions(name: &'static str, class: &str, mark: &str, annotation: (&str, &str)) -> World {
    let (key, value) = annotation;
    let of_hosts = |namespace: &str, name: &str, path: &dyn Fn(usize) -> String| {
        let paths = (0..64).map(|number| ingress_path(&path(number), "ImplementationSpecific")).collect::<Value>();
        let host = |number: usize| json!({"host": format!("h{number}.b.example.org"), "http": {"paths": paths}});
        let mut ingress = ingress(namespace, name, class, (0..4).map(host).collect());
        ingress["metadata"]["annotations"] = json!({key: value});
        ingress
    };
    let large = format!("/{}x", ".{1,1000}".repeat(20));
    let reviewed = of_hosts(TENANT, "more", &|number| format!("{mark}{large}{number}"));
    let mut stored = of_hosts(OTHER, "shop", &|number| format!("/cart/{number}"));
    for rule in stored["spec"]["rules"].as_array_mut().into_iter().flatten() {
        rule["http"]["paths"].as_array_mut().into_iter().flatten().for_each(|path| path["pathType"] = json!("Prefix"));
    }
    World { name, stored: vec![(Kind::Ingress, stored)], kind: Kind::Ingress, reviewed }
}

/// A hundred Ingresses that ask for values of a header, and one that asks for expressions.
fn header_expressions() -> World {
    let of_values = |namespace: &str, name: &str, values: String| {
        let rule = json!({"host": "shop.b.example.org", "http": {"paths": [ingress_path("/cart", "Prefix")]}});
        let mut ingress = ingress(namespace, name, "kong", json!([rule]));
        ingress["metadata"]["annotations"] = json!({"konghq.com/headers.x-team": values});
        ingress
    };
    let list = |value: &dyn Fn(usize) -> String| (0..1_000).map(value).collect::<Vec<_>>().join(",");
    let stored = (0..100).map(|number| {
        let values = list(&|value| format!("team-{number}-{value}"));
        (Kind::Ingress, of_values(OTHER, &format!("shop-{number}"), values))
    });
    let large = ".{1}".repeat(30);
    let reviewed = of_values(TENANT, "more", list(&|value| format!("~*{large}x{value}")));
    World { name: "Expressions of a header", stored: stored.collect(), kind: Kind::Ingress, reviewed }
}

/// Hosts below a wildcard in two Ingresses of another namespace, in a proxy that orders rules by priority.
pub fn wildcard(paths: Value) -> World {
    let hosts = |number: usize| {
        let paths = json!([ingress_path("/cart", "Prefix"), ingress_path("/shop", "Prefix")]);
        let host = |host: usize| json!({"host": format!("h{host}.b.example.org"), "http": {"paths": paths}});
        (Kind::Ingress, ingress(OTHER, &format!("i{number}"), "traefik", (0..900).map(host).collect()))
    };
    let rules = json!([{"host": "*.b.example.org", "http": {"paths": paths}}]);
    let mut reviewed = ingress(TENANT, "more", "traefik", rules);
    reviewed["metadata"]["annotations"] = json!({"traefik.ingress.kubernetes.io/router.priority": "1000"});
    World { name: "Hosts below a wildcard", stored: (0..2).map(hosts).collect(), kind: Kind::Ingress, reviewed }
}

/// Paths that no other host has, and `last`.
pub fn wildcard_paths(last: &str) -> Value {
    let own = (0..1_900).map(|number| format!("/own/{number}"));
    own.chain([format!("/{last}")]).map(|path| ingress_path(&path, "Prefix")).collect()
}

/// An Ingress of this class with these rules.
pub fn ingress(namespace: &str, name: &str, class: &str, rules: Value) -> Value {
    object(Kind::Ingress, namespace, name, json!({"ingressClassName": class, "rules": rules}))
}

/// An Ingress with one path, of a namespace that stores nothing else.
pub fn small_ingress() -> Value {
    let rules = json!([{"host": "small.c.example.org", "http": {"paths": [ingress_path("/", "Prefix")]}}]);
    ingress("team-c", "small", "public", rules)
}

/// A path of this type to some Service.
pub fn ingress_path(path: &str, kind: &str) -> Value {
    json!({"path": path, "pathType": kind, "backend": {"service": {"name": "s", "port": {"number": 80}}}})
}

pub fn policies() -> World {
    let policy = |name: &str, side: &str| {
        let target = |number: usize| json!({"group": "", "kind": "Service", "name": "s", "sectionName": format!("{side}-{number}")});
        let targets = (0..HOSTS).map(target).collect::<Value>();
        let spec =
            json!({"targetRefs": targets, "validation": {"hostname": "a.b", "wellKnownCACertificates": "System"}});
        object(Kind::BackendTlsPolicy, TENANT, name, spec)
    };
    let stored = (0..10_000).map(|number| (Kind::BackendTlsPolicy, policy(&format!("p{number}"), "port"))).collect();
    let reviewed = policy("more", "other");
    World { name: "BackendTLSPolicies of one Service", stored, kind: Kind::BackendTlsPolicy, reviewed }
}

/// Grants that allow references to anything but the Services that the route refers to.
pub fn grants() -> World {
    let grant = |number: usize| {
        let from = json!([{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "namespace": TENANT}]);
        let to = |name: usize| json!({"group": "", "kind": "Service", "name": format!("other-{name}")});
        let spec = json!({"from": from, "to": (0..HOSTS).map(to).collect::<Value>()});
        (Kind::ReferenceGrant, object(Kind::ReferenceGrant, "team-c", &format!("g{number}"), spec))
    };
    let rule = |rule: usize| {
        let name = |number: usize| json!({"name": format!("s{rule}-{number}"), "namespace": "team-c", "port": 80});
        json!({"backendRefs": (0..HOSTS).map(name).collect::<Value>()})
    };
    let rules = (0..RULES).map(rule).collect::<Value>();
    let reviewed = object(Kind::HttpRoute, TENANT, "more", json!({"rules": rules}));
    World {
        name: "backends beside ReferenceGrants",
        stored: (0..5_000).map(grant).collect(),
        kind: Kind::HttpRoute,
        reviewed,
    }
}

/// Ten levels of thirty objects, each of which delegates to all objects of the next level.
pub fn delegations() -> World {
    let route = |name: &str, below: Option<usize>, host: Option<&str>| {
        let delegate = |below: usize| (0..30).map(move |number| format!("v{below}-{number}"));
        let routes = below.into_iter().flat_map(delegate).enumerate();
        let mut routes: Vec<Value> =
            routes.map(|(number, name)| json!({"match": format!("/{number}"), "delegate": {"name": name}})).collect();
        routes.push(json!({"match": "/own", "services": [{"name": "s", "port": 80}]}));
        let mut spec = json!({"routes": routes});
        if let Some(host) = host {
            spec["virtualhost"] = json!({"fqdn": host});
        }
        object(Kind::IngressRoute, TENANT, name, spec)
    };
    let vertex = |level: usize, number: usize| {
        let below = (level < 9).then_some(level + 1);
        (Kind::IngressRoute, route(&format!("v{level}-{number}"), below, None))
    };
    let roots = (0..30).map(|number| {
        let host = format!("root-{number}.b.example.org");
        (Kind::IngressRoute, route(&format!("root-{number}"), Some(0), Some(&host)))
    });
    let stored = (0..10).flat_map(|level| (0..30).map(move |number| vertex(level, number))).chain(roots).collect();
    let reviewed = route("v5-0", Some(6), None);
    World { name: "IngressRoutes that share all below them", stored, kind: Kind::IngressRoute, reviewed }
}

/// A root that includes the first of fifteen proxies 2,000 times. Each proxy includes the next one twice.
pub fn includes() -> World {
    let proxy = |name: &str, below: Option<String>| {
        let includes = below.map(|below| json!([{"name": below}, {"name": below}])).unwrap_or_else(|| json!([]));
        let routes = json!([{"conditions": [{"prefix": "/own"}], "services": [{"name": "s", "port": 80}]}]);
        object(Kind::HttpProxy, TENANT, name, json!({"includes": includes, "routes": routes}))
    };
    let mut stored: Vec<(Kind, Value)> = (0..15)
        .map(|level| (Kind::HttpProxy, proxy(&format!("p{level}"), (level < 14).then(|| format!("p{}", level + 1)))))
        .collect();
    let many = (0..2_000).map(|_| json!({"name": "p0"})).collect::<Value>();
    let spec = json!({"virtualhost": {"fqdn": "root.b.example.org"}, "includes": many});
    stored.push((Kind::HttpProxy, object(Kind::HttpProxy, TENANT, "root", spec)));
    let reviewed = proxy("p7", Some("p8".to_owned()));
    World { name: "HTTPProxies that include each other", stored, kind: Kind::HttpProxy, reviewed }
}

/// The largest Ingress, beside one of another team.
fn large_ingress(name: &'static str, place: fn(usize) -> (String, String)) -> World {
    let rule = |number: usize| {
        let (host, path) = place(number);
        json!({"host": host, "http": {"paths": [ingress_path(&path, "Prefix")]}})
    };
    let rules = (0..LARGE).map(rule).collect::<Value>();
    let hosts = (0..LARGE).map(|number| json!(place(number).0)).collect::<Value>();
    let mut reviewed = ingress(TENANT, "more", "public", rules);
    reviewed["spec"]["tls"] = json!([{"hosts": hosts, "secretName": "certificate"}]);
    let other = ingress(OTHER, "shop", "public", json!([rule(1)]));
    World { name, stored: vec![(Kind::Ingress, other)], kind: Kind::Ingress, reviewed }
}

/// A root of as many routes as are counted, to as many Services.
fn large_ingress_route() -> World {
    let route = |number: usize| {
        let services = json!([{"name": format!("s{number}"), "port": 80}]);
        json!({"match": format!("/{number}"), "services": services})
    };
    let spec =
        json!({"virtualhost": {"fqdn": "root.b.example.org"}, "routes": (0..LARGE).map(route).collect::<Value>()});
    let reviewed = object(Kind::IngressRoute, TENANT, "more", spec);
    World { name: "an IngressRoute of 19,990 routes", stored: Vec::new(), kind: Kind::IngressRoute, reviewed }
}

/// A proxy of as many routes as are counted, each with a path and a header.
fn large_http_proxy() -> World {
    let route = |number: usize| {
        let header = json!({"header": {"name": "x-team", "exact": format!("t{number}")}});
        let conditions = json!([{"prefix": format!("/{number}")}, header]);
        json!({"conditions": conditions, "services": [{"name": format!("s{number}"), "port": 80}]})
    };
    let spec =
        json!({"virtualhost": {"fqdn": "root.b.example.org"}, "routes": (0..LARGE / 2).map(route).collect::<Value>()});
    let reviewed = object(Kind::HttpProxy, TENANT, "more", spec);
    World { name: "an HTTPProxy of 9,995 routes", stored: Vec::new(), kind: Kind::HttpProxy, reviewed }
}

/// An HTTPRoute of the largest size: all hosts, and all matches in all rules.
pub fn http_route(namespace: &str, name: &str, parents: Value) -> Value {
    let matched =
        |rule: usize, number: usize| json!({"path": {"type": "PathPrefix", "value": format!("/{rule}/{number}")}});
    let rule = |rule: usize| {
        let matches = (0..MATCHES).map(|number| matched(rule, number)).collect::<Value>();
        json!({"matches": matches, "backendRefs": [backend()]})
    };
    let rules = (0..RULES).map(rule).collect::<Value>();
    let mut parents = parents;
    if namespace != TENANT {
        parents.as_array_mut().into_iter().flatten().for_each(|parent| parent["namespace"] = json!(TENANT));
    }
    object(Kind::HttpRoute, namespace, name, json!({"parentRefs": parents, "hostnames": hosts(), "rules": rules}))
}

/// An HTTPRoute with these parents and hosts, and one rule with these matches.
pub fn http_route_of(namespace: &str, name: &str, parents: Value, hosts: Value, matches: Value) -> Value {
    let rules = json!([{"matches": matches, "backendRefs": [backend()]}]);
    object(Kind::HttpRoute, namespace, name, json!({"parentRefs": parents, "hostnames": hosts, "rules": rules}))
}

/// References to the first `count` ListenerSets.
pub fn sets(count: usize) -> Value {
    (0..count).map(|set| json!({"kind": "ListenerSet", "name": format!("set-{set}")})).collect()
}

fn hosts() -> Value {
    (0..HOSTS).map(|host| json!(format!("h{host}.b.example.org"))).collect()
}

fn backend() -> Value {
    json!({"name": "s", "port": 80})
}

fn listeners(protocol: &str) -> Value {
    let listener = |number: usize| {
        let mut listener = json!({
            "name": format!("l{number}"), "port": 1_000 + number, "protocol": protocol,
            "allowedRoutes": {"namespaces": {"from": "All"}},
        });
        if protocol != "TCP" {
            listener["hostname"] = json!("*.b.example.org");
        }
        if protocol == "TLS" {
            listener["tls"] = json!({"mode": "Passthrough"});
        }
        listener
    };
    (0..LISTENERS).map(listener).collect()
}

fn listener_sets_of(protocol: &str) -> impl Iterator<Item = (Kind, Value)> {
    let listeners = listeners(protocol);
    (0..PARENTS).map(move |set| {
        let spec = json!({"parentRef": {"name": "nowhere"}, "listeners": listeners});
        (Kind::ListenerSet, object(Kind::ListenerSet, TENANT, &format!("set-{set}"), spec))
    })
}

fn gateway(protocol: &str) -> (Kind, Value) {
    let allowed = json!({"namespaces": {"from": "All"}});
    let spec = json!({"gatewayClassName": "public", "allowedListeners": allowed, "listeners": listeners(protocol)});
    (Kind::Gateway, object(Kind::Gateway, TENANT, "edge", spec))
}

/// An object of this kind with this `spec`.
pub fn object(kind: Kind, namespace: &str, name: &str, spec: Value) -> Value {
    let api = kind.api();
    let version = format!("{}/{}", api.group, api.versions[0]);
    json!({"apiVersion": version, "kind": api.kind, "metadata": {"namespace": namespace, "name": name}, "spec": spec})
}
