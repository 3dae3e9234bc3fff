//! Objects with hosts as plain values, and their JSON.

use std::collections::BTreeSet;

use portcullis_core::kinds::Kind;
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

pub const NAMESPACES: [&str; 3] = ["web", "bank", "arms"];
pub const NAMES: [&str; 4] = ["a", "b", "c", "d"];
/// The namespaces with a label by which listeners may select them.
pub const GOOD: [&str; 2] = ["web", "arms"];
/// Hosts in canonical form, so that equal texts are equal hosts. The empty text means every host.
pub const HOSTS: [&str; 9] =
    ["", "*.a.com", "a.com", "x.a.com", "y.x.a.com", "*.x.a.com", "x-a.com", "*.com", "z.y.x.a.com"];
pub const SECTIONS: [&str; 3] = ["", "one", "two"];
/// Paths as written, and their canonical form.
pub const PATHS: [(&str, &str); 4] = [("", "/"), ("/", "/"), ("/a", "/a"), ("/a/", "/a")];
pub const METHODS: [&str; 3] = ["", "", "GET"];
/// Headers of a match as written. The first two entries are equivalent.
pub const HEADERS: [&[(&str, &str)]; 4] =
    [&[("X-A", "1"), ("b", "2")], &[("B", "2"), ("x-a", "1"), ("X-A", "9")], &[], &[]];
pub const HEADERS_MEAN: [usize; 4] = [0, 0, 2, 2];
pub const ROUTES: [Kind; 3] = [Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute];

pub type Place = (Kind, &'static str, &'static str);

#[derive(Debug, Clone)]
pub struct Listener {
    pub name: &'static str,
    pub host: &'static str,
    pub protocol: &'static str,
    pub from: &'static str,
    pub port: i64,
}

#[derive(Debug, Clone)]
pub struct Parent {
    pub object_ref: Place,
    pub section: &'static str,
    pub port: Option<i64>,
}

/// A match: the indexes of its path, method and headers in the tables above. For gRPC, the first one says whether a
/// service is matched.
pub type Match = (usize, usize, usize);

#[derive(Debug, Clone)]
pub enum Plain {
    Listeners(Vec<Listener>),
    Route {
        created: Option<u32>,
        hosts: Vec<&'static str>,
        parents: Vec<Parent>,
        matches: Vec<Match>,
    },
    /// An IngressRoute or an HTTPProxy: the root of this host, or not a root.
    Root(Option<&'static str>),
    Ingress(Vec<&'static str>),
}

pub fn distinct<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

impl Plain {
    pub fn random(kind: Kind, rng: &mut Rng) -> Self {
        match kind {
            Kind::Ingress => Self::Ingress((0..rng.below(3)).map(|_| rng.pick(&HOSTS)).collect()),
            Kind::IngressRoute | Kind::HttpProxy => Self::Root((!rng.one_in(4)).then(|| rng.pick(&HOSTS))),
            Kind::Gateway | Kind::ListenerSet => {
                let listener = |(name, rng): (&'static str, &mut Rng)| Listener {
                    name,
                    host: rng.pick(&HOSTS),
                    protocol: rng.pick(&["HTTP", "HTTPS", "HTTP", "TLS", "TCP"]),
                    from: rng.pick(&["", "Same", "All", "All", "Selector", "None"]),
                    port: rng.pick(&[80, 443]),
                };
                let names = &SECTIONS[1..=1 + rng.below(2)];
                Self::Listeners(names.iter().map(|name| listener((name, rng))).collect())
            }
            _ => {
                let hosts = distinct((0..rng.below(3)).map(|_| rng.pick(&HOSTS[1..])));
                let parent = |rng: &mut Rng| Parent {
                    object_ref: (
                        rng.pick(&[Kind::Gateway, Kind::ListenerSet]),
                        rng.pick(&NAMESPACES),
                        rng.pick(&NAMES[..2]),
                    ),
                    section: rng.pick(&SECTIONS),
                    port: rng.pick(&[None, None, None, Some(80)]),
                };
                let parents = (0..1 + rng.below(2)).map(|_| parent(rng)).collect();
                let matched =
                    |rng: &mut Rng| (rng.below(PATHS.len()), rng.below(METHODS.len()), rng.below(HEADERS.len()));
                let created = rng.pick(&[None, Some(1), Some(2), Some(3)]);
                Self::Route { created, hosts, parents, matches: (0..rng.below(4)).map(|_| matched(rng)).collect() }
            }
        }
    }

    pub fn json(&self, (kind, namespace, name): Place) -> String {
        let spec = match self {
            Self::Ingress(hosts) => {
                let paths = json!({"paths": [{"path": "/", "pathType": "Prefix"}]});
                json!({"rules": hosts.iter().map(|host| json!({"host": host, "http": paths})).collect::<Value>()})
            }
            Self::Listeners(listeners) => {
                let of = |listener: &Listener| {
                    let labels = json!({"matchLabels": {"good": "yes"}});
                    let from = (!listener.from.is_empty()).then_some(listener.from);
                    let allowed = json!({"namespaces": {"from": from, "selector": labels}});
                    json!({"name": listener.name, "hostname": listener.host, "protocol": listener.protocol, "port": listener.port, "allowedRoutes": allowed})
                };
                let parent = json!({"name": "a", "namespace": namespace});
                json!({"parentRef": parent, "listeners": listeners.iter().map(of).collect::<Value>()})
            }
            Self::Root(host) => json!({"virtualhost": host.map(|host| json!({"fqdn": host}))}),
            Self::Route { hosts, parents, matches, .. } => {
                let parent = |parent: &Parent| {
                    let (kind, namespace, name) = parent.object_ref;
                    json!({"kind": kind.api().kind, "namespace": namespace, "name": name, "sectionName": parent.section, "port": parent.port})
                };
                let rules: Value = match (kind, matches.is_empty()) {
                    (Kind::TlsRoute, _) => json!([{}]),
                    (_, true) => json!([{}]),
                    _ => json!([{"matches": matches.iter().map(|matched| written(kind, *matched)).collect::<Value>()}]),
                };
                json!({"hostnames": hosts, "parentRefs": parents.iter().map(parent).collect::<Value>(), "rules": rules})
            }
        };
        let created = match self {
            Self::Route { created: Some(day), .. } => json!(format!("2026-01-0{day}T00:00:00Z")),
            _ => Value::Null,
        };
        let metadata = json!({"namespace": namespace, "name": name, "creationTimestamp": created});
        json!({"metadata": metadata, "spec": spec}).to_string()
    }
}

pub fn written(kind: Kind, (path, method, headers): Match) -> Value {
    let text = |text: &'static str| (!text.is_empty()).then_some(text);
    let headers: Value = HEADERS[headers].iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
    match kind {
        Kind::GrpcRoute => {
            json!({"method": {"service": text(PATHS[path].1.trim_start_matches('/')), "method": text(METHODS[method])}, "headers": headers})
        }
        _ => json!({"path": {"value": text(PATHS[path].0)}, "method": text(METHODS[method]), "headers": headers}),
    }
}
