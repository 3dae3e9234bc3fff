//! IngressRoutes in components of three: a root with five routes, two of which delegate to one child each; a child has
//! three routes.

use portcullis_core::cluster::{Cluster, Event, Facts, SyncState};
use portcullis_core::kinds::{Kind, decode};
use serde_json::{Value, json};

/// The number of namespaces of roots. For each of them there is a namespace of children.
const NAMESPACES: usize = 100;
/// A prime number, so that consecutive edits affect distant components.
const STRIDE: usize = 7_919;

/// The facts of the objects that are not in the view yet, and the view.
pub struct Graph {
    facts: Vec<Facts>,
    pub cluster: Cluster,
}

impl Graph {
    /// `size` objects, none of which is in the view yet.
    pub fn new(size: usize) -> Self {
        let components =
            (0..size / 3).flat_map(|number| [root(number), vertex(number, 0, true), vertex(number, 1, true)]);
        let mut cluster = Cluster::with(SyncState::Complete);
        for namespace in (0..NAMESPACES).flat_map(|number| [format!("edge-{number}"), format!("team-{number}")]) {
            let service =
                json!({"metadata": {"namespace": namespace, "name": "web"}, "spec": {"ports": [{"port": 80}]}});
            cluster.apply(Event::Apply(facts(Kind::Service, &service)));
        }
        Self { facts: components.collect(), cluster }
    }

    /// Applies all objects to the view.
    pub fn fill(&mut self) {
        std::mem::take(&mut self.facts).into_iter().for_each(|facts| self.cluster.apply(Event::Apply(facts)));
    }

    /// The child to edit in this turn. Its routes differ from those in its previous turn.
    pub fn edited(&self, turn: usize) -> portcullis_core::cluster::delegation_facts::DelegationFacts {
        let components = self.cluster.count(Kind::IngressRoute) / 3;
        let number = (turn * STRIDE) % components;
        let is_back = (turn / components) % 2 == 1;
        match vertex(number, 0, is_back) {
            Facts::Delegation(facts) => *facts,
            other => unreachable!("{other:?} is no IngressRoute"),
        }
    }
}

fn root(number: usize) -> Facts {
    let served = ["/", "/static", "/api"].map(served);
    let delegated = [0, 1].map(|child| {
        let delegate =
            json!({"namespace": format!("team-{}", number % NAMESPACES), "name": format!("part-{number}-{child}")});
        json!({"match": format!("/team-{child}"), "delegate": delegate})
    });
    let routes: Vec<Value> = served.into_iter().chain(delegated).collect();
    let spec = json!({"virtualhost": {"fqdn": format!("shop-{number}.example.com")}, "routes": routes});
    object(&format!("edge-{}", number % NAMESPACES), &format!("shop-{number}"), spec)
}

fn vertex(number: usize, child: usize, is_inside: bool) -> Facts {
    let prefix = if is_inside { format!("/team-{child}") } else { "/elsewhere".to_owned() };
    let routes = ["", "/cart", "/search"].map(|path| served(&format!("{prefix}{path}")));
    object(&format!("team-{}", number % NAMESPACES), &format!("part-{number}-{child}"), json!({"routes": routes}))
}

fn served(prefix: &str) -> Value {
    json!({"match": prefix, "services": [{"name": "web", "port": 80}]})
}

fn object(namespace: &str, name: &str, spec: Value) -> Facts {
    facts(Kind::IngressRoute, &json!({"metadata": {"namespace": namespace, "name": name}, "spec": spec}))
}

fn facts(kind: Kind, value: &Value) -> Facts {
    Facts::of(&decode(kind, &value.to_string()).expect("an object of its kind"))
}

/// A view with a chain of `levels` objects. Each delegates twice to the next one, and the last one serves.
pub fn shared_chain(levels: usize) -> Cluster {
    let mut cluster = Graph::new(0).cluster;
    for level in 0..levels {
        // Each match covers the routes of the next level.
        let (wide, narrow) = ("/x".repeat(level + 1), "/x".repeat(level + 2));
        let delegate = json!({"name": format!("level-{}", level + 1)});
        let mut spec = match level + 1 < levels {
            true => json!({"routes": [{"match": wide, "delegate": delegate}, {"match": narrow, "delegate": delegate}]}),
            false => json!({"routes": [served(&narrow)]}),
        };
        if level == 0 {
            spec["virtualhost"] = json!({"fqdn": "shop.example.com"});
        }
        cluster.apply(Event::Apply(object("team-0", &format!("level-{level}"), spec)));
    }
    cluster
}
