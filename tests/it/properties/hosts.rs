//! Hosts across kinds: what the indexes find of conflicts, clashes and strangers against plain lists that are searched pair by pair.

use std::collections::{BTreeMap, BTreeSet};

use portcullis::cluster::gateway_facts::GatewayRouteFacts;
use portcullis::cluster::{Cluster, Event, Facts, Knowledge, Overlay};
use portcullis::kinds::{Kind, ObjectRef, decode};
use portcullis::matching::Host;
use portcullis::routing::{Hosts, conflict};
use serde_json::{Value, json};

use super::dice::Dice;

const EVENTS: usize = 100_000;
const BETWEEN_QUESTIONS: usize = 20;

const NAMESPACES: [&str; 3] = ["web", "bank", "arms"];
const NAMES: [&str; 4] = ["a", "b", "c", "d"];
/// Labels of the namespaces, from which a selector of listeners picks those of `web` and `arms`.
const GOOD: [&str; 2] = ["web", "arms"];
/// In canonical form, so that equal texts are equal hosts; the empty one is every host.
const HOSTS: [&str; 9] =
    ["", "*.a.com", "a.com", "x.a.com", "y.x.a.com", "*.x.a.com", "x-a.com", "*.com", "z.y.x.a.com"];
const SECTIONS: [&str; 3] = ["", "one", "two"];
/// What is written, and what it comes to.
const PATHS: [(&str, &str); 4] = [("", "/"), ("/", "/"), ("/a", "/a"), ("/a/", "/a")];
const METHODS: [&str; 3] = ["", "", "GET"];
/// Headers of a match as written; the first two ask for the same.
const HEADERS: [&[(&str, &str)]; 4] =
    [&[("X-A", "1"), ("b", "2")], &[("B", "2"), ("x-a", "1"), ("X-A", "9")], &[], &[]];
const HEADERS_MEAN: [usize; 4] = [0, 0, 2, 2];
const ROUTES: [Kind; 3] = [Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute];

type Place = (Kind, &'static str, &'static str);

#[derive(Debug, Clone)]
struct Listener {
    name: &'static str,
    host: &'static str,
    protocol: &'static str,
    from: &'static str,
    port: i64,
}

#[derive(Debug, Clone)]
struct Parent {
    place: Place,
    section: &'static str,
    port: Option<i64>,
}

/// A match: positions in the tables above, and for gRPC whether a service is asked for.
type Match = (usize, usize, usize);

#[derive(Debug, Clone)]
enum Plain {
    Listeners(Vec<Listener>),
    Route { hosts: Vec<&'static str>, parents: Vec<Parent>, matches: Vec<Match> },
    Ingress(Vec<&'static str>),
}

fn distinct<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

impl Plain {
    fn random(kind: Kind, dice: &mut Dice) -> Self {
        match kind {
            Kind::Ingress => Self::Ingress((0..dice.below(3)).map(|_| dice.pick(&HOSTS)).collect()),
            Kind::Gateway | Kind::ListenerSet => {
                let listener = |(name, dice): (&'static str, &mut Dice)| Listener {
                    name,
                    host: dice.pick(&HOSTS),
                    protocol: dice.pick(&["HTTP", "HTTPS", "HTTP", "TLS", "TCP"]),
                    from: dice.pick(&["", "Same", "All", "All", "Selector", "None"]),
                    port: dice.pick(&[80, 443]),
                };
                let names = &SECTIONS[1..=1 + dice.below(2)];
                Self::Listeners(names.iter().map(|name| listener((name, dice))).collect())
            }
            _ => {
                let hosts = distinct((0..dice.below(3)).map(|_| dice.pick(&HOSTS[1..])));
                let parent = |dice: &mut Dice| Parent {
                    place: (
                        dice.pick(&[Kind::Gateway, Kind::ListenerSet]),
                        dice.pick(&NAMESPACES),
                        dice.pick(&NAMES[..2]),
                    ),
                    section: dice.pick(&SECTIONS),
                    port: dice.pick(&[None, None, None, Some(80)]),
                };
                let parents = (0..1 + dice.below(2)).map(|_| parent(dice)).collect();
                let matched =
                    |dice: &mut Dice| (dice.below(PATHS.len()), dice.below(METHODS.len()), dice.below(HEADERS.len()));
                Self::Route { hosts, parents, matches: (0..dice.below(4)).map(|_| matched(dice)).collect() }
            }
        }
    }

    fn json(&self, (kind, namespace, name): Place) -> String {
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
            Self::Route { hosts, parents, matches } => {
                let parent = |parent: &Parent| {
                    let (kind, namespace, name) = parent.place;
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
        json!({"metadata": {"namespace": namespace, "name": name}, "spec": spec}).to_string()
    }
}

fn written(kind: Kind, (path, method, headers): Match) -> Value {
    let text = |text: &'static str| (!text.is_empty()).then_some(text);
    let headers: Value = HEADERS[headers].iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
    match kind {
        Kind::GrpcRoute => {
            json!({"method": {"service": text(PATHS[path].1.trim_start_matches('/')), "method": text(METHODS[method])}, "headers": headers})
        }
        _ => json!({"path": {"value": text(PATHS[path].0)}, "method": text(METHODS[method]), "headers": headers}),
    }
}

/// What a match comes to.
fn meaning((path, method, headers): Match) -> (&'static str, &'static str, usize) {
    (PATHS[path].1, METHODS[method], HEADERS_MEAN[headers])
}

/// The matches of a route by what they come to; none written is one of everything.
fn meanings(matches: &[Match]) -> Vec<(&'static str, &'static str, usize)> {
    if matches.is_empty() { vec![("/", "", 2)] } else { matches.iter().copied().map(meaning).collect() }
}

/// What two hosts have in common, label by label from the right.
fn common<'h>(left: &'h str, right: &'h str) -> Option<&'h str> {
    let labels = |host: &'h str| host.rsplit('.').filter(|label| !label.is_empty()).collect::<Vec<_>>();
    let (one, two) = (labels(left), labels(right));
    let covers = |wide: &[&str], narrow: &[&str]| match wide.split_last() {
        None => true,
        Some((&"*", rest)) => narrow.len() > rest.len() && narrow.starts_with(rest),
        Some(_) => wide == narrow,
    };
    match (covers(&one, &two), covers(&two, &one)) {
        (true, _) => Some(right),
        (_, true) => Some(left),
        _ => None,
    }
}

#[derive(Debug, Default)]
struct Scan(BTreeMap<Place, Plain>);

impl Scan {
    fn change(&mut self, dice: &mut Dice) -> Event {
        let kind = dice.pick(&[
            Kind::Ingress,
            Kind::Gateway,
            Kind::ListenerSet,
            Kind::HttpRoute,
            Kind::HttpRoute,
            Kind::GrpcRoute,
            Kind::TlsRoute,
        ]);
        let names = if matches!(kind, Kind::Gateway | Kind::ListenerSet) { &NAMES[..2] } else { &NAMES };
        let place = (kind, dice.pick(&NAMESPACES), dice.pick(names));
        if dice.one_in(6) {
            self.0.remove(&place);
            return Event::Gone(ObjectRef::new(place.0, place.1, place.2));
        }
        let plain = Plain::random(kind, dice);
        let facts = Facts::of(&decode(kind, &plain.json(place)).expect("an object"));
        self.0.insert(place, plain);
        Event::Put(facts)
    }

    /// The hosts of a route on each listener that takes it.
    fn served(&self, place: Place) -> Vec<(Place, &'static str, Vec<&'static str>)> {
        let Some(Plain::Route { hosts, parents, .. }) = self.0.get(&place) else { return Vec::new() };
        let mut all = BTreeMap::new();
        for parent in parents {
            let Some(Plain::Listeners(listeners)) = self.0.get(&parent.place) else { continue };
            for listener in listeners {
                let kind = match listener.protocol {
                    "HTTP" | "HTTPS" => place.0 != Kind::TlsRoute,
                    "TLS" => place.0 == Kind::TlsRoute,
                    _ => false,
                };
                let namespace = match listener.from {
                    "" | "Same" => parent.place.1 == place.1,
                    "All" => true,
                    "Selector" => GOOD.contains(&place.1),
                    _ => false,
                };
                let meant = parent.section.is_empty() || parent.section == listener.name;
                let port = parent.port.is_none_or(|port| port == listener.port);
                let own = if hosts.is_empty() { vec![""] } else { hosts.clone() };
                let served: Vec<_> = own.into_iter().filter_map(|host| common(host, listener.host)).collect();
                if kind && namespace && meant && port && !served.is_empty() {
                    all.insert((parent.place, listener.name), served);
                }
            }
        }
        all.into_iter().map(|((parent, listener), hosts)| (parent, listener, hosts)).collect()
    }

    fn others(&self, this: Place, kind: Kind) -> impl Iterator<Item = Place> {
        self.0.keys().copied().filter(move |place| *place != this && place.0 == kind)
    }

    /// For each match and host that another route of the kind serves too: that route, a stranger before a neighbour.
    fn conflicts(&self, this: Place) -> BTreeSet<(usize, String, String)> {
        let mut found = BTreeMap::new();
        let Some(Plain::Route { matches, .. }) = self.0.get(&this) else { return BTreeSet::new() };
        for other in self.others(this, this.0).filter(|_| this.0 != Kind::TlsRoute) {
            let Some(Plain::Route { matches: theirs, .. }) = self.0.get(&other) else { continue };
            for (host, _) in self.shared(this, other, |own, their| own == their) {
                for (position, own) in meanings(matches).into_iter().enumerate() {
                    if meanings(theirs).contains(&own) {
                        let rank = (other.1 == this.1, other);
                        let best = found.entry((position, host)).or_insert(rank);
                        *best = rank.min(*best);
                    }
                }
            }
        }
        found.into_iter().map(|((position, host), (_, other))| (position, shown(host), text(other))).collect()
    }

    /// The hosts of `this` that hold against one of `other` on a listener that takes both, with the listeners.
    fn shared(
        &self,
        this: Place,
        other: Place,
        holds: impl Fn(&str, &str) -> bool,
    ) -> BTreeSet<(&'static str, &'static str)> {
        let (own, theirs) = (self.served(this), self.served(other));
        let mut shared = BTreeSet::new();
        for (parent, listener, hosts) in &own {
            let same = theirs.iter().filter(|(their, name, _)| (their, name) == (parent, listener));
            for (_, _, their) in same {
                let meeting = hosts.iter().filter(|host| their.iter().any(|their| holds(host, their)));
                shared.extend(meeting.map(|host| (*host, *listener)));
            }
        }
        shared
    }

    /// Every host of `this` that meets one of a route of the other kind, with each such route and listener.
    fn clashes(&self, this: Place) -> BTreeSet<(String, String, String)> {
        let kind = match this.0 {
            Kind::HttpRoute => Kind::GrpcRoute,
            Kind::GrpcRoute => Kind::HttpRoute,
            _ => return BTreeSet::new(),
        };
        let meets = |own: &str, their: &str| common(own, their).is_some();
        let others = self.others(this, kind);
        let found =
            others.flat_map(|other| self.shared(this, other, meets).into_iter().map(move |shared| (shared, other)));
        found.map(|((host, listener), other)| (shown(host), listener.to_owned(), text(other))).collect()
    }

    /// What of the Gateway API outside a namespace names a host, in order.
    fn strangers(&self, host: &str, own: &str) -> Vec<String> {
        let names = |plain: &Plain| match plain {
            Plain::Listeners(listeners) => {
                listeners.iter().any(|listener| listener.protocol != "TCP" && listener.host == host)
            }
            Plain::Route { hosts, .. } => hosts.contains(&host),
            Plain::Ingress(_) => false,
        };
        let all =
            self.0.iter().filter(|((_, namespace, _), plain)| *namespace != own && !host.is_empty() && names(plain));
        all.map(|(place, _)| text(*place)).collect()
    }

    /// The Ingresses that name a host.
    fn ingresses(&self, host: &str) -> Vec<String> {
        let names = |plain: &Plain| matches!(plain, Plain::Ingress(hosts) if !host.is_empty() && hosts.contains(&host));
        self.0.iter().filter(|(_, plain)| names(plain)).map(|(place, _)| text(*place)).collect()
    }

    /// What an object of the Gateway API claims.
    fn claims(&self, this: Place) -> BTreeSet<String> {
        let listed = |hosts: Vec<&str>| hosts.into_iter().map(shown).collect();
        match self.0.get(&this) {
            Some(Plain::Listeners(listeners)) => listed(
                listeners.iter().filter(|listener| listener.protocol != "TCP").map(|listener| listener.host).collect(),
            ),
            Some(Plain::Route { hosts, .. }) if !hosts.is_empty() => listed(hosts.clone()),
            _ => listed(self.served(this).into_iter().flat_map(|(_, _, hosts)| hosts).collect()),
        }
    }
}

fn shown(host: &str) -> String {
    if host.is_empty() { "*".to_owned() } else { host.to_owned() }
}

fn text((kind, namespace, name): Place) -> String {
    format!("{kind} {namespace}/{name}")
}

pub fn across_kinds_the_index_answers_as_a_scan_does() {
    let mut dice = Dice::new(0);
    let (mut cluster, mut scan) = (Cluster::with(Knowledge::Complete), Scan::default());
    for name in NAMESPACES {
        let label = if GOOD.contains(&name) { "yes" } else { "no" };
        let namespace = json!({"metadata": {"name": name, "labels": {"good": label}}}).to_string();
        cluster.apply(Event::Put(Facts::of(&decode(Kind::Namespace, &namespace).expect("a Namespace"))));
    }
    let mut found = [0; 5];
    for event in 1..=EVENTS {
        cluster.apply(scan.change(&mut dice));
        if event % BETWEEN_QUESTIONS == 0 {
            let place = (dice.pick(&ROUTES[..2]), dice.pick(&NAMESPACES), dice.pick(&NAMES));
            let host = dice.pick(&HOSTS);
            let counts = ask(&cluster, &scan, place, host, event);
            found.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
        }
    }
    assert!(found.iter().all(|count| *count > 100), "the dice ask too little: {found:?}");
}

/// Asks about one route, listeners of its name and one host; how many of each were found.
fn ask(cluster: &Cluster, scan: &Scan, place: Place, host: &str, event: usize) -> [usize; 5] {
    let this = ObjectRef::new(place.0, place.1, place.2);
    let overlay = Overlay::new(cluster, &this);
    let after = || format!("after {event}: {place:?} {host}");

    let parsed = Host::parse(host);
    let mut strangers = overlay.gateway_strangers(&parsed, place.1).map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(strangers, scan.strangers(host, place.1), "{}", after());
    let mut ingresses: Vec<_> = overlay.ingresses_with_host(&parsed).map(|facts| facts.place.to_string()).collect();
    ingresses.sort();
    assert_eq!(ingresses, scan.ingresses(host), "{}", after());

    let mut counts = [0, 0, 0, strangers.drain(..).count(), ingresses.len()];
    let claims = |place: Place| {
        let plain = scan.0.get(&place)?;
        let json = plain.json(place);
        let object = decode(place.0, &json).expect("an object");
        let claims = Hosts::Of(&object).claims(&overlay);
        let claims: BTreeSet<_> = claims.iter().map(|claim| claim.host.to_string()).collect();
        assert_eq!(claims, scan.claims(place), "{}", after());
        Some(claims.len())
    };
    let _ = claims((Kind::ListenerSet, place.1, "a"));
    let _ = claims((Kind::TlsRoute, place.1, place.2));
    let Some(claimed) = claims(place) else { return counts };

    let json = scan.0[&place].json(place);
    let object = decode(place.0, &json).expect("a route");
    let route = object.route().expect("a route");
    let facts = GatewayRouteFacts::of(&route);
    let keys: Vec<_> = portcullis::matching::request::asked(&route).into_iter().map(|asked| asked.at).collect();
    let conflicts = conflict::of_matches(&route, &facts, &overlay, |_, _| false);
    let conflicts: BTreeSet<_> = conflicts
        .into_iter()
        .map(|conflict| {
            let position = keys.iter().position(|at| *at == conflict.asked.at).expect("a match of the route");
            (position, conflict.host.to_string(), conflict.other.place.to_string())
        })
        .collect();
    assert_eq!(conflicts, scan.conflicts(place), "{}", after());

    let clashes = conflict::of_kinds(&facts, &overlay, |_, _| false);
    let clash = |clash: &conflict::Clash<'_>| {
        (clash.host.to_string(), clash.listener.name.to_string(), clash.other.place.to_string())
    };
    let (clashes, expected) = (clashes.iter().map(clash).collect::<BTreeSet<_>>(), scan.clashes(place));
    assert!(clashes.is_subset(&expected), "{}: {clashes:?} {expected:?}", after());
    let hosts =
        |of: &BTreeSet<(String, String, String)>| of.iter().map(|(host, ..)| host.clone()).collect::<BTreeSet<_>>();
    assert_eq!(hosts(&clashes), hosts(&expected), "{}", after());
    counts[..3].copy_from_slice(&[conflicts.len(), clashes.len(), claimed]);
    counts
}
