//! Clusters of any size, to measure how the cost of a review grows: with the claims of the reviewed object, with
//! their repetitions, and with what others store. One for each family of checks that compare objects.

use portcullis_core::config::{API_VERSION, Config, KIND};
use portcullis_core::kinds::Kind;
use serde_json::{Value, json};

use super::world::{OTHER, TENANT, World, http_route_of, ingress, ingress_path, object};

/// How much there is.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// The claims of the reviewed object.
    pub own: usize,
    /// How often the reviewed object has each of them.
    pub times: usize,
    /// The stored objects.
    pub stored: usize,
}

impl Size {
    /// Each claim of the reviewed object, as often as it has it.
    fn claims<T>(self, claim: impl Fn(usize) -> T) -> impl Iterator<Item = T> {
        (0..self.own * self.times).map(move |number| claim(number % self.own))
    }

    /// Each stored object, every second one in the namespace of the reviewed object, the others in one each.
    fn stored(self, kind: Kind, one: impl Fn(&str, usize) -> Value) -> Vec<(Kind, Value)> {
        let namespace = |number: usize| match number.is_multiple_of(2) {
            true => TENANT.to_owned(),
            false => format!("{OTHER}-{number}"),
        };
        (0..self.stored).map(|number| (kind, one(&namespace(number), number))).collect()
    }
}

/// A cluster of any size.
pub struct Scaled {
    /// What is compared.
    pub name: &'static str,
    /// The cluster of a size.
    pub of: fn(Size) -> World,
    /// Whether the first namespace that serves a host owns it.
    pub first_namespace: bool,
    /// The size whose parts are doubled.
    pub size: Size,
}

impl Scaled {
    /// The configuration.
    pub fn config(&self) -> Config {
        let policy = if self.first_namespace { "hostOwnership: {unlisted: FirstNamespace}\n" } else { "" };
        let text = format!("apiVersion: {API_VERSION}\nkind: {KIND}\n{policy}");
        Config::parse(&text).expect("the configuration is sound")
    }
}

/// All of them.
pub fn all() -> Vec<Scaled> {
    let of = |name, first_namespace, own, stored, of| {
        let size = Size { own, times: 1, stored };
        Scaled { name, of, first_namespace, size }
    };
    vec![
        of("paths of a host", false, 2_000, 500, paths),
        of("hosts of Ingresses", false, 2_000, 500, hosts),
        of("hosts of Ingresses, the first namespace owns", true, 2_000, 500, hosts),
        of("rules without a host", false, 2_000, 500, hostless_rules),
        of("expressions of ingress-nginx", false, 500, 500, expressions),
        of("paths below a wildcard of Traefik", false, 2_000, 500, wildcard),
        of("values of a header of Kong", false, 500, 500, header_values),
        of("hints of one namespace", false, 500, 500, hints),
        of("hosts below a wildcard of nginx", false, 50, 500, hosts_below),
        of("matches of HTTPRoutes", false, 64, 500, matches),
        of("hosts of HTTPRoutes", false, 8, 500, route_hosts),
        of("hosts of HTTPRoutes, the first namespace owns", true, 8, 500, route_hosts),
        of("hosts beside routes without hostnames", true, 500, 100, hostless_routes),
        of("listeners of ListenerSets", false, 500, 500, listeners),
        of("targets of BackendTLSPolicies", false, 500, 500, targets),
        of("backends beside ReferenceGrants", false, 500, 500, grants),
        of("delegations of IngressRoutes", false, 500, 500, delegations),
        of("includes of HTTPProxies", false, 1_000, 500, includes),
        of("strategies of Services", false, 500, 500, strategies),
    ]
}

fn world(stored: Vec<(Kind, Value)>, kind: Kind, reviewed: Value) -> World {
    World { name: "scaled", stored, kind, reviewed }
}

fn rule(host: &str, paths: Value) -> Value {
    json!({"host": host, "http": {"paths": paths}})
}

fn paths(size: Size) -> World {
    let shop = |paths: Value| json!([rule("shop.b.example.org", paths)]);
    let stored = size.stored(Kind::Ingress, |namespace, number| {
        let same = ingress_path("/0", "Prefix");
        let paths = json!([same, ingress_path(&format!("/other/{number}"), "Prefix")]);
        ingress(namespace, &format!("i{number}"), "public", shop(paths))
    });
    let own = size.claims(|number| ingress_path(&format!("/{number}"), "Prefix")).collect();
    world(stored, Kind::Ingress, ingress(TENANT, "more", "public", shop(own)))
}

fn hosts(size: Size) -> World {
    let paths = || json!([ingress_path("/", "Prefix")]);
    let stored = size.stored(Kind::Ingress, |namespace, number| {
        let rules = json!([rule(&format!("other-{number}.b.example.org"), paths()), rule("*.b.example.org", paths())]);
        ingress(namespace, &format!("i{number}"), "public", rules)
    });
    let rules = size.claims(|number| rule(&format!("h{number}.b.example.org"), paths())).collect();
    world(stored, Kind::Ingress, ingress(TENANT, "more", "public", rules))
}

/// Each load balancer of the class `gce` serves one Ingress.
fn hostless_rules(size: Size) -> World {
    let rules = |path: &str| json!([{"http": {"paths": [ingress_path(path, "Prefix")]}}]);
    let stored =
        size.stored(Kind::Ingress, |namespace, number| ingress(namespace, &format!("i{number}"), "gce", rules("/")));
    let own = size.claims(|number| rules(&format!("/{number}"))[0].clone()).collect();
    world(stored, Kind::Ingress, ingress(TENANT, "more", "nginx", own))
}

fn expressions(size: Size) -> World {
    let of = |namespace: &str, name: &str, paths: Value| {
        let mut ingress = ingress(namespace, name, "nginx", json!([rule("shop.b.example.org", paths)]));
        ingress["metadata"]["annotations"] = json!({"nginx.ingress.kubernetes.io/use-regex": "true"});
        ingress
    };
    let stored = size.stored(Kind::Ingress, |namespace, number| {
        let paths = json!([ingress_path(&format!("/other/{number}"), "Prefix")]);
        of(namespace, &format!("i{number}"), paths)
    });
    let own = size.claims(|number| ingress_path(&format!("/a{number}/.*"), "ImplementationSpecific")).collect();
    world(stored, Kind::Ingress, of(TENANT, "more", own))
}

fn wildcard(size: Size) -> World {
    let stored = size.stored(Kind::Ingress, |namespace, number| {
        let host = format!("h{number}.b.example.org");
        ingress(namespace, &format!("i{number}"), "traefik", json!([rule(&host, json!([ingress_path("/", "Prefix")]))]))
    });
    let own = size.claims(|number| ingress_path(&format!("/own/{number}"), "Prefix")).collect();
    let mut reviewed = ingress(TENANT, "more", "traefik", json!([rule("*.b.example.org", own)]));
    reviewed["metadata"]["annotations"] = json!({"traefik.ingress.kubernetes.io/router.priority": "1000"});
    world(stored, Kind::Ingress, reviewed)
}

fn header_values(size: Size) -> World {
    let of = |namespace: &str, name: &str, values: String| {
        let rules = json!([rule("shop.b.example.org", json!([ingress_path("/cart", "Prefix")]))]);
        let mut ingress = ingress(namespace, name, "kong", rules);
        ingress["metadata"]["annotations"] = json!({"konghq.com/headers.x-team": values});
        ingress
    };
    let stored =
        size.stored(Kind::Ingress, |namespace, number| of(namespace, &format!("i{number}"), format!("other-{number}")));
    let own: Vec<String> = size.claims(|number| format!("team-{number}")).collect();
    world(stored, Kind::Ingress, of(TENANT, "more", own.join(",")))
}

/// Another namespace has the path of the reviewed object in many Ingresses, each with other conditions.
fn hints(size: Size) -> World {
    let of = |namespace: &str, name: &str, value: String, paths: Value| {
        let mut ingress = ingress(namespace, name, "kong", json!([rule("shop.b.example.org", paths)]));
        ingress["metadata"]["annotations"] = json!({"konghq.com/headers.x-team": value});
        ingress
    };
    let stored = (0..size.stored).map(|number| {
        let paths = json!([ingress_path("/0", "Prefix")]);
        (Kind::Ingress, of(OTHER, &format!("i{number}"), format!("other-{number}"), paths))
    });
    let own = size.claims(|number| ingress_path(&format!("/{number}"), "Prefix")).collect();
    world(stored.collect(), Kind::Ingress, of(TENANT, "more", "own".to_owned(), own))
}

fn hosts_below(size: Size) -> World {
    let of_host = |host: &str| json!([rule(host, json!([ingress_path("/", "Prefix")]))]);
    let stored = size.stored(Kind::Ingress, |namespace, number| {
        ingress(namespace, &format!("i{number}"), "nginx", of_host(&format!("h{number}.b.example.org")))
    });
    let own = size.claims(|number| ingress_path(&format!("/own/{number}"), "Prefix")).collect();
    world(stored, Kind::Ingress, ingress(TENANT, "more", "nginx", json!([rule("*.b.example.org", own)])))
}

fn edge() -> (Kind, Value) {
    let allowed = json!({"namespaces": {"from": "All"}});
    let listener = json!({"name": "http", "port": 80, "protocol": "HTTP", "allowedRoutes": allowed});
    let spec = json!({"gatewayClassName": "public", "allowedListeners": allowed, "listeners": [listener]});
    (Kind::Gateway, object(Kind::Gateway, "infra", "edge", spec))
}

fn edge_ref() -> Value {
    json!([{"namespace": "infra", "name": "edge"}])
}

fn path_match(path: &str) -> Value {
    json!({"path": {"type": "PathPrefix", "value": path}})
}

/// A route has at most 16 hosts and 128 matches.
fn matches(size: Size) -> World {
    let hosts: Value = (0..16).map(|number| json!(format!("h{number}.b.example.org"))).collect();
    let route = |namespace: &str, name: &str, matches: Value| {
        http_route_of(namespace, name, edge_ref(), hosts.clone(), matches)
    };
    let mut stored = size.stored(Kind::HttpRoute, |namespace, number| {
        route(namespace, &format!("r{number}"), json!([path_match(&format!("/other/{number}"))]))
    });
    stored.push(edge());
    let own = size.claims(|number| path_match(&format!("/{number}"))).collect();
    world(stored, Kind::HttpRoute, route(TENANT, "more", own))
}

fn route_hosts(size: Size) -> World {
    let matches: Value = (0..128).map(|number| path_match(&format!("/{number}"))).collect();
    let route =
        |namespace: &str, name: &str, hosts: Value| http_route_of(namespace, name, edge_ref(), hosts, matches.clone());
    let mut stored = size.stored(Kind::HttpRoute, |namespace, number| {
        route(namespace, &format!("r{number}"), json!([format!("other-{number}.b.example.org")]))
    });
    stored.push(edge());
    let own = size.claims(|number| json!(format!("h{number}.b.example.org"))).collect();
    world(stored, Kind::HttpRoute, route(TENANT, "more", own))
}

/// Routes without hostnames on Gateways of the tenant whose listeners have the host of the Ingress.
fn hostless_routes(size: Size) -> World {
    let host = |number: usize| format!("h{number}.b.example.org");
    let mut stored = size.stored(Kind::HttpRoute, |_, number| {
        http_route_of(TENANT, &format!("r{number}"), json!([{"name": "own"}]), json!([]), json!([path_match("/")]))
    });
    let listener =
        |number: usize| json!({"name": format!("l{number}"), "port": 80, "protocol": "HTTP", "hostname": host(number)});
    let listeners = (0..64).map(listener).collect::<Value>();
    let gateway = json!({"gatewayClassName": "public", "listeners": listeners});
    stored.push((Kind::Gateway, object(Kind::Gateway, TENANT, "own", gateway)));
    let rules = size.claims(|number| rule(&host(number), json!([ingress_path("/", "Prefix")]))).collect();
    world(stored, Kind::Ingress, ingress(TENANT, "more", "public", rules))
}

fn listeners(size: Size) -> World {
    let set = |namespace: &str, name: &str, listeners: Value| {
        let parent = json!({"namespace": "infra", "name": "edge"});
        object(Kind::ListenerSet, namespace, name, json!({"parentRef": parent, "listeners": listeners}))
    };
    let listener = |host: &str| {
        let name = host.split('.').next();
        json!({"name": name, "port": 443, "protocol": "HTTPS", "hostname": host, "tls": {"certificateRefs": [{"name": "shop"}]}})
    };
    let mut stored = size.stored(Kind::ListenerSet, |namespace, number| {
        set(namespace, &format!("s{number}"), json!([listener(&format!("other-{number}.b.example.org"))]))
    });
    stored.push(edge());
    let own = size.claims(|number| listener(&format!("h{number}.b.example.org"))).collect();
    world(stored, Kind::ListenerSet, set(TENANT, "more", own))
}

fn targets(size: Size) -> World {
    let policy = |namespace: &str, name: &str, targets: Value| {
        let validation = json!({"hostname": "a.b", "wellKnownCACertificates": "System"});
        object(Kind::BackendTlsPolicy, namespace, name, json!({"targetRefs": targets, "validation": validation}))
    };
    let target = |section: String| json!({"group": "", "kind": "Service", "name": "s", "sectionName": section});
    let stored = size.stored(Kind::BackendTlsPolicy, |namespace, number| {
        policy(namespace, &format!("p{number}"), json!([target(format!("other-{number}"))]))
    });
    let own = size.claims(|number| target(format!("port-{number}"))).collect();
    world(stored, Kind::BackendTlsPolicy, policy(TENANT, "more", own))
}

fn grants(size: Size) -> World {
    let grant = |_: &str, number: usize| {
        let from = json!([{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "namespace": TENANT}]);
        let to = json!([{"group": "", "kind": "Service", "name": format!("other-{number}")}]);
        object(Kind::ReferenceGrant, "team-c", &format!("g{number}"), json!({"from": from, "to": to}))
    };
    let stored = size.stored(Kind::ReferenceGrant, grant);
    let backend = |number: usize| json!({"name": format!("s{number}"), "namespace": "team-c", "port": 80});
    let rules = json!([{"backendRefs": size.claims(backend).collect::<Value>()}]);
    world(stored, Kind::HttpRoute, object(Kind::HttpRoute, TENANT, "more", json!({"rules": rules})))
}

fn delegations(size: Size) -> World {
    let root = |namespace: &str, name: &str, host: String, routes: Value| {
        let spec = json!({"virtualhost": {"fqdn": host}, "routes": routes});
        object(Kind::IngressRoute, namespace, name, spec)
    };
    let service = json!([{"name": "s", "port": 80}]);
    let stored = size.stored(Kind::IngressRoute, |namespace, number| {
        let routes = json!([{"match": "/", "services": service}]);
        root(namespace, &format!("r{number}"), format!("other-{number}.b.example.org"), routes)
    });
    let delegate =
        |number: usize| json!({"match": format!("/{number}"), "delegate": {"name": format!("child-{number}")}});
    let own = size.claims(delegate).collect();
    world(stored, Kind::IngressRoute, root(TENANT, "more", "shop.b.example.org".to_owned(), own))
}

fn includes(size: Size) -> World {
    let root = |namespace: &str, name: &str, host: String, includes: Value| {
        let routes = json!([{"conditions": [{"prefix": "/own"}], "services": [{"name": "s", "port": 80}]}]);
        let spec = json!({"virtualhost": {"fqdn": host}, "includes": includes, "routes": routes});
        object(Kind::HttpProxy, namespace, name, spec)
    };
    let stored = size.stored(Kind::HttpProxy, |namespace, number| {
        root(namespace, &format!("r{number}"), format!("other-{number}.b.example.org"), json!([]))
    });
    let include =
        |number: usize| json!({"name": format!("child-{number}"), "conditions": [{"prefix": format!("/{number}")}]});
    let own = size.claims(include).collect();
    world(stored, Kind::HttpProxy, root(TENANT, "more", "shop.b.example.org".to_owned(), own))
}

fn strategies(size: Size) -> World {
    let root = |namespace: &str, name: &str, services: Value| {
        let spec = json!({"virtualhost": {"fqdn": format!("{name}.b.example.org")}, "routes": [{"match": "/", "services": services}]});
        object(Kind::IngressRoute, namespace, name, spec)
    };
    let service =
        |number: usize, strategy: &str| json!({"name": format!("s{number}"), "port": 80, "strategy": strategy});
    let stored = size.stored(Kind::IngressRoute, |namespace, number| {
        root(namespace, &format!("r{number}"), json!([service(0, "Random")]))
    });
    let own = size.claims(|number| service(number, "Cookie")).collect();
    world(stored, Kind::IngressRoute, root(TENANT, "more", own))
}
