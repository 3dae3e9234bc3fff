//! Compares the view of the cluster with plain lists that are searched completely.

use std::collections::{BTreeMap, BTreeSet};

use portcullis_core::cluster::{Cluster, Event, Facts, Lookup, Overlay, PlaneKey, Reach, SyncState};
use portcullis_core::kinds::{Kind, ObjectRef, decode};
use portcullis_core::matching::path_interpretation::PathNotation;
use portcullis_core::matching::{Host, Path, PathType};
use portcullis_testing::rng::Rng;
use serde_json::{Value, json};

const EVENTS: usize = 100_000;
const BETWEEN_QUESTIONS: usize = 20;
const BETWEEN_REBUILDS: usize = 10_000;

const NAMESPACES: [&str; 3] = ["web", "bank", "arms"];
const NAMES: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
const CLASSES: [Option<&str>; 3] = [None, Some("nginx"), Some("other")];
/// Hosts in canonical form, so that equal texts are equal hosts.
const HOSTS: [&str; 14] = [
    "",
    "*.a.com",
    "a.com",
    "x.a.com",
    "y.x.a.com",
    "xa.com",
    "*.x.a.com",
    "b.com",
    "shop.b.com",
    "a",
    "x-a.com",
    "z.y.a.com",
    "1.x.a.com",
    "0.a.com",
];
const SUFFIXES: [&str; 5] = ["com", "a.com", "x.a.com", "b.com", "none"];
const PATHS: [&str; 3] = ["/", "/a", "/a/b"];
const TYPES: [PathType; 3] = [PathType::Exact, PathType::Prefix, PathType::ImplementationSpecific];

/// An Ingress as the oracle stores it.
#[derive(Debug, Clone)]
struct Plain {
    class: Option<&'static str>,
    /// The class in the annotation.
    other_class: Option<&'static str>,
    marked: bool,
    routes: Vec<(&'static str, PathType, &'static str)>,
}

impl Plain {
    fn random(rng: &mut Rng) -> Self {
        let route = |rng: &mut Rng| (rng.pick(&HOSTS), rng.pick(&TYPES), rng.pick(&PATHS));
        let routes = (0..rng.below(4)).map(|_| route(rng)).collect();
        let other_class = if rng.one_in(3) { rng.pick(&CLASSES) } else { None };
        Self { class: rng.pick(&CLASSES), other_class, marked: rng.one_in(4), routes }
    }

    /// Whether `class` is one of its classes; `None` for an Ingress that names none.
    fn names(&self, class: Option<&str>) -> bool {
        match class {
            Some(_) => [self.class, self.other_class].contains(&class),
            None => self.class.is_none() && self.other_class.is_none(),
        }
    }

    fn facts(&self, (namespace, name): (&str, &str)) -> Facts {
        let rule = |(host, kind, path): &(&str, PathType, &str)| {
            let backend = json!({"service": {"name": service_of(path), "port": {"number": 80}}});
            json!({"host": host, "http": {"paths": [{"path": path, "pathType": kind.to_string(), "backend": backend}]}})
        };
        let rules: Value = self.routes.iter().map(rule).collect();
        let canary = self.marked.to_string();
        let annotations =
            json!({"nginx.ingress.kubernetes.io/canary": canary, "kubernetes.io/ingress.class": self.other_class});
        let metadata = json!({"namespace": namespace, "name": name, "annotations": annotations});
        let ingress = json!({"metadata": metadata, "spec": {"ingressClassName": self.class, "rules": rules}});
        Facts::of(&decode(Kind::Ingress, &ingress.to_string()).expect("an Ingress"))
    }
}

/// All objects, as plain values.
#[derive(Debug, Default)]
struct Scan {
    ingresses: BTreeMap<(&'static str, &'static str), Plain>,
    classes: BTreeMap<&'static str, bool>,
}

impl Scan {
    /// Applies one random change and returns its event.
    fn change(&mut self, rng: &mut Rng) -> Event {
        if rng.one_in(10) {
            return self.change_class(rng);
        }
        let object_ref = (rng.pick(&NAMESPACES), rng.pick(&NAMES));
        if rng.one_in(4) {
            self.ingresses.remove(&object_ref);
            return Event::Delete(ObjectRef::new(Kind::Ingress, object_ref.0, object_ref.1));
        }
        let plain = match self.ingresses.get(&object_ref) {
            Some(old) if rng.one_in(4) => Plain { class: rng.pick(&CLASSES), ..old.clone() },
            Some(old) if rng.one_in(4) => Plain { marked: !old.marked, ..old.clone() },
            _ => Plain::random(rng),
        };
        let facts = plain.facts(object_ref);
        self.ingresses.insert(object_ref, plain);
        Event::Apply(facts)
    }

    fn change_class(&mut self, rng: &mut Rng) -> Event {
        let name = rng.pick(&NAMES);
        if rng.one_in(3) {
            self.classes.remove(name);
            return Event::Delete(ObjectRef::new(Kind::IngressClass, "", name));
        }
        let default = rng.one_in(6);
        self.classes.insert(name, default);
        Event::Apply(class(name, default))
    }

    fn all(&self) -> Vec<Event> {
        let ingresses = self.ingresses.iter().map(|(object_ref, plain)| plain.facts(*object_ref));
        let classes = self.classes.iter().map(|(name, default)| class(name, *default));
        ingresses.chain(classes).map(Event::Apply).collect()
    }

    /// The references of the Ingresses except `this` for which `applies` is true: of those of one namespace that differ
    /// only in their name and in what they claim, only the first one.
    fn first_of_each(&self, this: &ObjectRef, applies: impl Fn(&Plain) -> bool) -> Vec<String> {
        let mut first = BTreeMap::new();
        for ((namespace, name), plain) in &self.ingresses {
            let object_ref = format!("Ingress {namespace}/{name}");
            if applies(plain) && object_ref != this.to_string() {
                let Facts::Ingress(facts) = plain.facts((namespace, name)) else { continue };
                let classes: Vec<_> = facts.classes().map(|class| class.map(str::to_owned)).collect();
                first.entry((namespace, classes, plain.marked)).or_insert(object_ref);
            }
        }
        sorted(first.into_values())
    }

    /// The references of the Ingresses except `this`, each as often as `holds` returns.
    fn places(&self, this: &ObjectRef, holds: impl Fn(&Plain) -> usize) -> Vec<String> {
        let all =
            self.ingresses.iter().map(|((namespace, name), plain)| (format!("Ingress {namespace}/{name}"), plain));
        let others = all.filter(|(object_ref, _)| *object_ref != this.to_string());
        others.flat_map(|(object_ref, plain)| std::iter::repeat_n(object_ref, holds(plain))).collect()
    }
}

fn class(name: &str, default: bool) -> Facts {
    let annotations = json!({"ingressclass.kubernetes.io/is-default-class": default.to_string()});
    let class = json!({"metadata": {"name": name, "annotations": annotations}}).to_string();
    Facts::of(&decode(Kind::IngressClass, &class).expect("an IngressClass"))
}

#[test]
fn the_index_answers_as_a_scan_does() {
    let mut rng = Rng::new(0);
    let (mut cluster, mut scan) = (Cluster::with(SyncState::Complete), Scan::default());
    for event in 1..=EVENTS {
        cluster.apply(scan.change(&mut rng));
        if event % BETWEEN_QUESTIONS == 0 {
            ask(&cluster, &scan, &mut rng, event);
        }
        if event % BETWEEN_REBUILDS == 0 {
            let mut all = scan.all();
            rng.shuffle(&mut all);
            let mut fresh = Cluster::with(SyncState::Complete);
            all.into_iter().for_each(|event| fresh.apply(event));
            (0..100).for_each(|_| ask(&fresh, &scan, &mut rng, event));
        }
    }
}

/// Asks one random question of each kind.
fn ask(cluster: &Cluster, scan: &Scan, rng: &mut Rng, event: usize) {
    let this = ObjectRef::new(Kind::Ingress, rng.pick(&NAMESPACES), rng.pick(&NAMES));
    let overlay = Overlay::new(cluster, &this);

    let (class, host, kind, path) = (rng.pick(&CLASSES), rng.pick(&HOSTS), rng.pick(&TYPES), rng.pick(&PATHS));
    let (asked_host, asked_path) = (Host::parse(host), Path::new(kind, Some(path)));
    let found =
        overlay.ingress_claims(PlaneKey::Class(class), &asked_host, asked_path.notated(PathNotation::default()), None);
    let found = found.into_iter().filter(|claim| {
        let own = (claim.route.host(), claim.route.kind, &*claim.route.path);
        own == (asked_host.clone(), asked_path.kind, &*asked_path.text)
    });
    let claims = |plain: &Plain| plain.names(class) && plain.routes.contains(&(host, kind, path));
    let expected = scan.first_of_each(&this, claims);
    let found = sorted(found.map(|claim| claim.facts.object_ref.to_string()));
    assert_eq!(found, expected, "after {event}: {class:?} {host} {kind} {path}");

    if asked_host != Host::Any {
        let found = overlay.ingress_holders(&asked_host).into_iter().map(|(facts, _)| facts.object_ref.to_string());
        let expected = scan.first_of_each(&this, |plain| plain.routes.iter().any(|(own, ..)| *own == host));
        assert_eq!(sorted(found), expected, "after {event}: {host}");
    }

    let service = format!("{}:80", service_of(path));
    let found = overlay.ingresses_with_service(PlaneKey::Class(class), &service);
    let found = found.into_iter().map(|facts| facts.object_ref.to_string());
    let uses =
        |plain: &Plain| plain.names(class) && !plain.marked && plain.routes.iter().any(|(_, _, own)| *own == path);
    let mut expected = scan.first_of_each(&this, uses);
    expected.retain(|object_ref| object_ref.starts_with(&format!("Ingress {}/", this.namespace)));
    assert_eq!(sorted(found), expected, "after {event}: {class:?} with {service}");

    let suffix = rng.pick(&SUFFIXES);
    let is_under = |name: &str| {
        !name.contains('*')
            && name.strip_suffix(suffix).is_some_and(|front| front.ends_with('.') && front.matches('.').count() == 1)
    };
    let walked = |reach| {
        overlay.ingress_hosts(reach, None).map(|below| (below.host.to_owned(), below.facts.object_ref.to_string()))
    };
    assert_eq!(
        sorted(walked(Reach::OneLabelUnder(suffix))),
        hosts(scan, &this, is_under),
        "after {event}: under {suffix}"
    );
    assert_eq!(sorted(walked(Reach::All)), hosts(scan, &this, |_| true), "after {event}");
    if asked_host != Host::Any {
        assert_eq!(
            sorted(walked(Reach::Exactly(&asked_host))),
            hosts(scan, &this, |name| name == host),
            "after {event}: {host}"
        );
    }

    if let Some(class) = class {
        let found = overlay.ingresses_of_class(class).map(|facts| facts.object_ref.to_string());
        let no_object = ObjectRef::new(Kind::Ingress, "", "");
        let expected =
            scan.places(&no_object, |plain| usize::from([plain.class, plain.other_class].contains(&Some(class))));
        assert_eq!(sorted(found), expected, "after {event}: of {class}");
    }

    let own = ObjectRef::new(Kind::IngressClass, "", rng.pick(&NAMES));
    let defaults = match Overlay::new(cluster, &own).default_classes() {
        Lookup::Found(classes) => classes.iter().map(|class| class.name.to_string()).collect(),
        Lookup::Absent => Vec::new(),
        Lookup::Unknown => panic!("everything is known"),
    };
    let expected = scan.classes.iter().filter(|(name, default)| **default && **name != own.name);
    assert_eq!(defaults, expected.map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>(), "after {event}");

    assert_eq!(cluster.count(Kind::Ingress), scan.ingresses.len(), "after {event}");
    assert_eq!(cluster.count(Kind::IngressClass), scan.classes.len(), "after {event}");
    assert_eq!(cluster.object_refs(Kind::Ingress).len(), scan.ingresses.len(), "after {event}");
}

/// The Service to which a path sends its requests.
fn service_of(path: &str) -> String {
    format!("s{}", path.len())
}

/// The hosts for which `is_wanted` is true, with each other Ingress that names them.
fn hosts(scan: &Scan, this: &ObjectRef, is_wanted: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let mut found = BTreeSet::new();
    for ((namespace, name), plain) in &scan.ingresses {
        let object_ref = format!("Ingress {namespace}/{name}");
        let hosts = plain.routes.iter().map(|(host, ..)| *host);
        let hosts = hosts.filter(|host| object_ref != this.to_string() && !host.is_empty() && is_wanted(host));
        found.extend(hosts.map(|host| (host.to_owned(), object_ref.clone())));
    }
    found.into_iter().collect()
}

fn sorted<T: Ord>(found: impl Iterator<Item = T>) -> Vec<T> {
    let mut found: Vec<_> = found.collect();
    found.sort();
    found
}
