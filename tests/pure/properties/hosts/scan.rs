//! The oracle: all objects in one list, which is searched pairwise.

use std::collections::{BTreeMap, BTreeSet};

use portcullis_core::cluster::{Event, Facts};
use portcullis_core::kinds::{Kind, ObjectRef, decode};
use portcullis_testing::rng::Rng;

use super::plain::{GOOD, HEADERS_MEAN, METHODS, Match, NAMES, NAMESPACES, PATHS, Place, Plain};

/// The canonical form of a match.
fn meaning((path, method, headers): Match) -> (&'static str, &'static str, usize) {
    (PATHS[path].1, METHODS[method], HEADERS_MEAN[headers])
}

/// The canonical forms of the matches of a route. Without matches, the route has one that matches everything.
fn meanings(matches: &[Match]) -> Vec<(&'static str, &'static str, usize)> {
    if matches.is_empty() { vec![("/", "", 2)] } else { matches.iter().copied().map(meaning).collect() }
}

/// The intersection of two hosts, compared label by label from the right.
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
pub struct Scan(pub BTreeMap<Place, Plain>);

impl Scan {
    pub fn change(&mut self, rng: &mut Rng) -> Event {
        let kind = rng.pick(&[
            Kind::Ingress,
            Kind::Gateway,
            Kind::ListenerSet,
            Kind::HttpRoute,
            Kind::HttpRoute,
            Kind::GrpcRoute,
            Kind::TlsRoute,
            Kind::IngressRoute,
            Kind::HttpProxy,
        ]);
        let names = if matches!(kind, Kind::Gateway | Kind::ListenerSet) { &NAMES[..2] } else { &NAMES };
        let object_ref = (kind, rng.pick(&NAMESPACES), rng.pick(names));
        if rng.one_in(6) {
            self.0.remove(&object_ref);
            return Event::Delete(ObjectRef::new(object_ref.0, object_ref.1, object_ref.2));
        }
        let plain = Plain::random(kind, rng);
        let facts = Facts::of(&decode(kind, &plain.json(object_ref)).expect("an object"));
        self.0.insert(object_ref, plain);
        Event::Apply(facts)
    }

    /// The hosts of a route at each listener that accepts it.
    pub fn served(&self, object_ref: Place) -> Vec<(Place, &'static str, Vec<&'static str>)> {
        let Some(Plain::Route { hosts, parents, .. }) = self.0.get(&object_ref) else { return Vec::new() };
        let mut all = BTreeMap::new();
        for parent in parents {
            let Some(Plain::Listeners(listeners)) = self.0.get(&parent.object_ref) else { continue };
            for listener in listeners {
                let kind = match listener.protocol {
                    "HTTP" | "HTTPS" => object_ref.0 != Kind::TlsRoute,
                    "TLS" => object_ref.0 == Kind::TlsRoute,
                    _ => false,
                };
                let namespace = match listener.from {
                    "" | "Same" => parent.object_ref.1 == object_ref.1,
                    "All" => true,
                    "Selector" => GOOD.contains(&object_ref.1),
                    _ => false,
                };
                let is_section = parent.section.is_empty() || parent.section == listener.name;
                let port = parent.port.is_none_or(|port| port == listener.port);
                let own = if hosts.is_empty() { vec![""] } else { hosts.clone() };
                let served: Vec<_> = own.into_iter().filter_map(|host| common(host, listener.host)).collect();
                if kind && namespace && is_section && port && !served.is_empty() {
                    all.insert((parent.object_ref, listener.name), served);
                }
            }
        }
        all.into_iter().map(|((parent, listener), hosts)| (parent, listener, hosts)).collect()
    }

    pub fn others(&self, this: Place, kind: Kind) -> impl Iterator<Item = Place> {
        self.0.keys().copied().filter(move |object_ref| *object_ref != this && object_ref.0 == kind)
    }

    /// For each match and host that another route of the kind serves too: that route. Routes of other namespaces come
    /// first, then the oldest.
    pub fn conflicts(&self, this: Place) -> BTreeSet<(usize, String, String)> {
        let mut found = BTreeMap::new();
        let Some(Plain::Route { matches, .. }) = self.0.get(&this) else { return BTreeSet::new() };
        for other in self.others(this, this.0).filter(|_| this.0 != Kind::TlsRoute) {
            let Some(Plain::Route { matches: theirs, created, .. }) = self.0.get(&other) else { continue };
            for (host, _) in self.shared(this, other, |own, their| own == their) {
                for (position, own) in meanings(matches).into_iter().enumerate() {
                    if meanings(theirs).contains(&own) {
                        let rank = (other.1 == this.1, created.is_none(), *created, other);
                        let best = found.entry((position, host)).or_insert(rank);
                        *best = rank.min(*best);
                    }
                }
            }
        }
        found.into_iter().map(|((position, host), (.., other))| (position, shown(host), text(other))).collect()
    }

    /// The hosts of `this` for which `holds` is true with a host of `other`, on a listener that accepts both, with
    /// these listeners.
    pub fn shared(
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
                let common = hosts.iter().filter(|host| their.iter().any(|their| holds(host, their)));
                shared.extend(common.map(|host| (*host, *listener)));
            }
        }
        shared
    }

    /// For each host of `this` that overlaps one of a route of the other kind: each such route and listener where one
    /// of the two is not accepted because of the other, and whether `this` is the accepted one.
    pub fn clashes(&self, this: Place) -> BTreeSet<(String, (String, String, String, bool))> {
        let kind = match this.0 {
            Kind::HttpRoute => Kind::GrpcRoute,
            Kind::GrpcRoute => Kind::HttpRoute,
            _ => return BTreeSet::new(),
        };
        let mut found = BTreeSet::new();
        for (parent, listener, hosts) in self.served(this) {
            let winners = self.decided(parent, listener);
            let accepts_this = winners[&this].0.is_none();
            for (other, (winner, theirs)) in winners.iter().filter(|(other, _)| other.0 == kind) {
                let is_told = if accepts_this { *winner == Some(this) } else { winner.is_none() };
                let pairs = hosts.iter().flat_map(|host| theirs.iter().map(move |their| (*host, *their)));
                for (host, their) in pairs.filter(|(host, their)| is_told && overlaps(&[*host], &[*their])) {
                    // Of two hosts that overlap, the one that is covered has more labels, or no wildcard.
                    let labels =
                        |host: &str| (host.split('.').filter(|label| !label.is_empty()).count(), !host.contains('*'));
                    let shared = if labels(host) >= labels(their) { host } else { their };
                    found.insert((shown(host), (shown(shared), listener.to_owned(), text(*other), accepts_this)));
                }
            }
        }
        found
    }

    /// The HTTPRoutes and GRPCRoutes at a listener, in order of precedence: for each the route because of which it is
    /// not accepted, if any, and its hosts there.
    fn decided(&self, parent: Place, listener: &str) -> BTreeMap<Place, (Option<Place>, Vec<&'static str>)> {
        let routes = self.0.iter().filter_map(|(object_ref, plain)| match plain {
            Plain::Route { created, .. } if object_ref.0 != Kind::TlsRoute => Some((*created, *object_ref)),
            _ => None,
        });
        let mut routes: Vec<_> = routes.collect();
        routes.sort_by_key(|(created, (kind, namespace, name))| {
            (created.is_none(), *created, format!("{namespace}/{name}"), *kind)
        });
        let mut assigned: Vec<(Place, Vec<&str>)> = Vec::new();
        let mut decided = BTreeMap::new();
        for (_, object_ref) in routes {
            let served = self.served(object_ref).into_iter();
            let Some((.., hosts)) = served.into_iter().find(|(their, name, _)| (*their, *name) == (parent, listener))
            else {
                continue;
            };
            let winner = assigned.iter().find(|(other, theirs)| other.0 != object_ref.0 && overlaps(&hosts, theirs));
            let winner = winner.map(|(other, _)| *other);
            if winner.is_none() {
                assigned.push((object_ref, hosts.clone()));
            }
            decided.insert(object_ref, (winner, hosts));
        }
        decided
    }

    /// For each host of a TLSRoute that another one serves on the same listener: that route. Routes of other namespaces
    /// come first, then the oldest, then the order of references decides.
    pub fn named_twice(&self, this: Place) -> BTreeSet<(String, String)> {
        let mut found = BTreeMap::new();
        for other in self.others(this, Kind::TlsRoute) {
            for (host, _) in self.shared(this, other, |own, their| own == their) {
                let Some(Plain::Route { created, .. }) = self.0.get(&other) else { continue };
                let rank = (other.1 == this.1, created.is_none(), *created, other);
                let best = found.entry(host).or_insert(rank);
                *best = rank.min(*best);
            }
        }
        found.into_iter().map(|(host, (.., other))| (shown(host), text(other))).collect()
    }

    /// The objects outside a namespace that name a host, except Ingresses, in order.
    pub fn outside_namespace(&self, host: &str, own: &str) -> Vec<String> {
        let names = |plain: &Plain| match plain {
            Plain::Listeners(listeners) => {
                listeners.iter().any(|listener| listener.protocol != "TCP" && listener.host == host)
            }
            Plain::Route { hosts, .. } => hosts.contains(&host),
            Plain::Root(fqdn) => *fqdn == Some(host),
            Plain::Ingress(_) => false,
        };
        let all =
            self.0.iter().filter(|((_, namespace, _), plain)| *namespace != own && !host.is_empty() && names(plain));
        all.map(|(object_ref, _)| text(*object_ref)).collect()
    }

    /// The Ingresses that name a host.
    pub fn ingresses(&self, host: &str) -> Vec<String> {
        let names = |plain: &Plain| matches!(plain, Plain::Ingress(hosts) if !host.is_empty() && hosts.contains(&host));
        self.0.iter().filter(|(_, plain)| names(plain)).map(|(object_ref, _)| text(*object_ref)).collect()
    }

    /// The hosts that an object other than an Ingress claims.
    pub fn claims(&self, this: Place) -> BTreeSet<String> {
        let listed = |hosts: Vec<&str>| hosts.into_iter().map(shown).collect();
        match self.0.get(&this) {
            // A TCP listener on a port of HTTP has every host.
            Some(Plain::Listeners(listeners)) => {
                listed(listeners.iter().map(|own| if own.protocol == "TCP" { "" } else { own.host }).collect())
            }
            Some(Plain::Root(host)) => listed(host.iter().copied().filter(|host| !host.is_empty()).collect()),
            // A listener may narrow a wildcard.
            Some(Plain::Route { hosts, .. }) if !hosts.is_empty() => {
                let served = self.served(this).into_iter().flat_map(|(_, _, hosts)| hosts);
                let narrowed = served.filter(|host| !host.is_empty() && !host.starts_with("*."));
                listed(hosts.iter().copied().chain(narrowed).collect())
            }
            _ => listed(self.served(this).into_iter().flat_map(|(_, _, hosts)| hosts).collect()),
        }
    }
}

/// Whether two lists of hosts overlap.
fn overlaps(left: &[&str], right: &[&str]) -> bool {
    left.iter().any(|one| right.iter().any(|two| common(one, two).is_some()))
}

pub fn shown(host: &str) -> String {
    if host.is_empty() { "*".to_owned() } else { host.to_owned() }
}

pub fn text((kind, namespace, name): Place) -> String {
    format!("{kind} {namespace}/{name}")
}
