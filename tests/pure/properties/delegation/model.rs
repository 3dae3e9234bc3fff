//! Small random graphs of IngressRoutes, as plain values.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use portcullis_core::cluster::delegation_facts::{
    CertificateFacts, DelegatedSecret, DelegationFacts, EdgeFacts, IngressRouteExtras,
};
use portcullis_core::cluster::service_uses::ServiceUse;
use portcullis_core::cluster::{Cluster, Event, Facts, ServiceFacts, SyncState};
use portcullis_core::config::{API_VERSION, Config, KIND};
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_core::matching::Host;
use portcullis_core::validation::ObjectError;
use portcullis_testing::rng::Rng;

/// Namespace and name.
pub type Place = (&'static str, &'static str);

const NAMES: [&str; 3] = ["x", "y", "z"];
/// Roots are allowed in the first two.
const NAMESPACES: [&str; 3] = ["a", "b", "c"];
const PREFIXES: [&str; 6] = ["/", "/a", "/a/", "/a/b", "/ab", "/a/b/c"];
const HOSTS: [&str; 3] = ["", "one.example", "two.example"];
pub const PORT: i64 = 80;

/// An IngressRoute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plain {
    pub class: Option<&'static str>,
    pub host: Option<&'static str>,
    /// The match of each route, and its delegation target, if it has one.
    pub routes: Vec<(&'static str, Option<Place>)>,
    pub is_faulty: bool,
    /// Whether it needs port [`PORT`] of the Service in its namespace.
    pub needs_service: bool,
    /// Whether its certificate is in namespace `c`.
    pub borrows: bool,
    /// Whether it has a `tcpproxy`.
    pub is_tcp: bool,
    /// The object to which its `tcpproxy` delegates.
    pub tcp_target: Option<Place>,
}

/// All objects.
#[derive(Debug, Clone, Default)]
pub struct Model {
    pub routes: BTreeMap<Place, Plain>,
    /// The port of the only Service in each namespace.
    pub services: BTreeMap<&'static str, i64>,
    /// The namespace to which namespace `c` delegates its certificate.
    pub delegated: Option<&'static str>,
}

/// One change, and the object if it is an IngressRoute.
pub struct Change {
    pub event: Event,
    pub object_ref: Option<Place>,
}

impl Plain {
    pub fn random(rng: &mut Rng) -> Self {
        let route = |rng: &mut Rng| {
            let target = if rng.one_in(3) { None } else { Some((rng.pick(&NAMESPACES), rng.pick(&NAMES))) };
            (rng.pick(&PREFIXES), target)
        };
        let is_tcp = rng.one_in(12);
        Self {
            class: rng.one_in(10).then_some("other"),
            host: rng.one_in(3).then(|| rng.pick(&HOSTS)),
            routes: (0..rng.below(4)).map(|_| route(rng)).collect(),
            is_faulty: rng.one_in(12),
            needs_service: rng.one_in(4),
            borrows: rng.one_in(16),
            is_tcp,
            tcp_target: (is_tcp && rng.one_in(2)).then(|| (rng.pick(&NAMESPACES), rng.pick(&NAMES))),
        }
    }

    pub fn facts(&self, object_ref: Place) -> DelegationFacts {
        let target = |to: Place| ObjectRef::new(Kind::IngressRoute, to.0, to.1);
        let edges = self.routes.iter().enumerate().filter_map(|(index, (prefix, to))| {
            Some(EdgeFacts { index, prefix: (*prefix).into(), target: target((*to)?).into() })
        });
        let rule = Some("ingress-route/match-not-absolute");
        let error = ObjectError { rule, message: "spec.routes[0].match: `x` must start with `/`".into() };
        let own = IngressRouteExtras {
            secret: None,
            error: self.is_faulty.then_some(error),
            delegated: self.borrows.then(|| ("c".into(), "cert".into())),
            is_tcp: self.is_tcp,
        };
        let used = || ServiceUse { name: "web", port: PORT as u16, strategy: "RoundRobin" };
        DelegationFacts {
            is_truncated: false,
            object_ref: target(object_ref).into(),
            class: self.class.map(Into::into),
            root: self.host.map(|host| Host::parse(host).into_owned()),
            edges: edges.collect(),
            tcp: self.tcp_target.map(target).map(Arc::new),
            uses: self.needs_service.then(used).into_iter().collect(),
            consent: None,
            serves: self.routes.iter().filter(|(_, to)| to.is_none()).map(|(prefix, _)| (*prefix).into()).collect(),
            created: None,
            generation: None,
            own: Some(Box::new(own)),
            headers: None,
        }
    }
}

impl Model {
    /// A model with up to nine objects.
    pub fn random(rng: &mut Rng) -> Self {
        let mut model = Self::default();
        (0..2 + rng.below(8)).for_each(|_| drop(model.change_route(rng)));
        (0..2).for_each(|_| drop(model.change(rng)));
        model
    }

    /// Applies one random change.
    pub fn change(&mut self, rng: &mut Rng) -> Change {
        match rng.below(10) {
            0 | 1 => {
                let namespace = rng.pick(&NAMESPACES);
                let event = match rng.below(3) {
                    0 => {
                        self.services.remove(namespace);
                        Event::Delete(ObjectRef::new(Kind::Service, namespace, "web"))
                    }
                    port => {
                        let port = PORT - 1 + port as i64;
                        self.services.insert(namespace, port);
                        Event::Apply(service(namespace, port))
                    }
                };
                Change { event, object_ref: None }
            }
            2 => {
                self.delegated = if rng.one_in(2) { Some(rng.pick(&["a", "*"])) } else { None };
                let event = match self.delegated {
                    Some(to) => Event::Apply(delegated(to)),
                    None => Event::Delete(ObjectRef::new(Kind::TlsCertificateDelegation, "c", "lent")),
                };
                Change { event, object_ref: None }
            }
            _ => self.change_route(rng),
        }
    }

    fn change_route(&mut self, rng: &mut Rng) -> Change {
        let object_ref = (rng.pick(&NAMESPACES), rng.pick(&NAMES));
        let event = match self.routes.get(&object_ref).cloned() {
            Some(_) if rng.one_in(4) => {
                self.routes.remove(&object_ref);
                Event::Delete(ObjectRef::new(Kind::IngressRoute, object_ref.0, object_ref.1))
            }
            old => {
                let mut new = Plain::random(rng);
                if let Some(old) = old.filter(|_| rng.one_in(2)) {
                    // A small change of the host, of the class, or of the routes.
                    new = match rng.below(3) {
                        0 => Plain { host: new.host, ..old },
                        1 => Plain { class: new.class, ..old },
                        _ => Plain { routes: new.routes, ..old },
                    };
                }
                let event = Event::Apply(Facts::Delegation(Box::new(new.facts(object_ref))));
                self.routes.insert(object_ref, new);
                event
            }
        };
        Change { event, object_ref: Some(object_ref) }
    }

    /// A view of the objects, which are applied in random order.
    pub fn cluster(&self, rng: &mut Rng) -> Cluster {
        let routes =
            self.routes.iter().map(|(object_ref, plain)| Facts::Delegation(Box::new(plain.facts(*object_ref))));
        let services = self.services.iter().map(|(namespace, port)| service(namespace, *port));
        let mut all: Vec<Facts> = routes.chain(services).chain(self.delegated.map(delegated)).collect();
        rng.shuffle(&mut all);
        let mut cluster = Cluster::with(SyncState::Complete);
        all.into_iter().for_each(|facts| cluster.apply(Event::Apply(facts)));
        cluster
    }
}

fn service(namespace: &str, port: i64) -> Facts {
    let ports = [(None, port)].into();
    Facts::Service(ServiceFacts {
        namespace: namespace.into(),
        name: "web".into(),
        external: false,
        ports,
        not_tcp: Box::default(),
        load_balancer: Box::default(),
        cluster_ips: Box::default(),
    })
}

fn delegated(to: &str) -> Facts {
    let targets = (to != "*").then(|| [Box::from(to)].into());
    let object_ref = ObjectRef::new(Kind::TlsCertificateDelegation, "c", "lent");
    Facts::Certificates(CertificateFacts {
        is_truncated: false,
        object_ref,
        delegated: [DelegatedSecret { secret: "cert".into(), to: targets }].into(),
    })
}

/// A configuration that allows roots in two of three namespaces, with or without the extensions.
pub fn config(extensions: bool) -> &'static Config {
    static BOTH: LazyLock<[Config; 2]> =
        LazyLock::new(|| ["", "extensions: [tcpproxy, certdelegation]\n"].map(configuration));
    &BOTH[usize::from(extensions)]
}

fn configuration(more: &str) -> Config {
    let text = format!("apiVersion: {API_VERSION}\nkind: {KIND}\nrootNamespaces: {{IngressRoute: [a, b]}}\n{more}");
    Config::parse(&text).expect("a good configuration")
}
