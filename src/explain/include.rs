//! HTTPProxies: a host is its root's, and includes add the routes of other objects under conditions, which are strung together. What is
//! missing answers 502 or 503, and the rest goes on serving.

use std::rc::Rc;

use std::collections::HashSet;

use hashbrown::HashMap;

use super::answer::{Api, Loser};
use super::candidate::Candidate;
use super::conditions::Conditions;
use super::trees::{Idle, Tree, Trees};
use super::way::{End, Leaf, Way};
use super::world::Stored;
use crate::cluster::Overlay;
use crate::config::Config;
use crate::field::{At, FieldPath};
use crate::kinds::http_proxy::{ProxyRoute, ProxyService};
use crate::kinds::{HttpProxy, Object, ObjectRef};
use crate::matching::Host;

/// How many routes and includes of one root are looked at: each level of includes may double them.
const MOST_STEPS: usize = 20_000;
/// How many includes deep a root is looked at.
const MOST_LEVELS: usize = 256;

/// The trees of all HTTPProxies.
pub(super) fn trees<'w>(objects: &'w [Stored<'w>], config: &Config, view: Overlay<'w>) -> Trees<'w> {
    let proxies = objects.iter().filter_map(|stored| match &stored.object {
        Object::HttpProxy(proxy) => Some((&stored.place, proxy)),
        _ => None,
    });
    let forest = Forest { proxies: proxies.collect() };
    let mut places: Vec<_> = forest.proxies.keys().copied().collect();
    places.sort_unstable();
    let (mut all, mut idle, mut used) = (Vec::new(), Vec::new(), HashSet::new());
    for place in &places {
        let proxy = forest.proxies[place];
        let Some(virtualhost) = &proxy.spec.virtualhost else { continue };
        let host = Host::parse(&virtualhost.fqdn);
        match refusal(place, proxy.class(), &host, config, &view) {
            Some(because) => idle.push(Idle { object: place, class: proxy.class(), host: Some(host), because }),
            None => all.push(forest.tree(place, proxy, host, &mut used)),
        }
    }
    for place in places {
        let proxy = forest.proxies[place];
        if proxy.spec.virtualhost.is_none() && !used.contains(place) {
            let because = "orphaned: no root includes it".to_owned();
            idle.push(Idle { object: place, class: proxy.class(), host: None, because });
        }
    }
    Trees::new(Api::HttpProxy, view, all, idle)
}

/// Why a root has no host.
fn refusal(
    place: &ObjectRef,
    class: Option<&str>,
    host: &Host<'_>,
    config: &Config,
    view: &Overlay<'_>,
) -> Option<String> {
    let may_hold = |place: &ObjectRef| config.may_hold_roots(place.kind.api().kind, &place.namespace);
    if !may_hold(place) {
        return Some(format!("namespace {} may not hold roots", place.namespace));
    }
    if *host == Host::Any || !host.is_well_formed() {
        return Some("it names no host".to_owned());
    }
    let mut others = view.roots(place.kind, class, host).map(|other| &other.place);
    let other = others.find(|other| *other != place && may_hold(other))?;
    Some(format!("{other} claims the host too, so that neither has it"))
}

struct Forest<'w> {
    proxies: HashMap<&'w ObjectRef, &'w HttpProxy<'w>>,
}

/// A tree that grows.
struct Growing<'w, 't> {
    tree: Tree<'w>,
    /// The place of each route by its conditions, and its number.
    known: HashMap<String, (&'w ObjectRef, At, usize)>,
    /// How many routes and includes were looked at.
    steps: usize,
    used: &'t mut HashSet<&'w ObjectRef>,
    /// The objects from the root to the one at hand.
    above: Vec<&'w ObjectRef>,
}

impl<'w> Forest<'w> {
    fn tree(
        &self,
        place: &'w ObjectRef,
        root: &'w HttpProxy<'w>,
        host: Host<'w>,
        used: &mut HashSet<&'w ObjectRef>,
    ) -> Tree<'w> {
        let way = Way::begin(place, At::field("spec.virtualhost.fqdn"), format!("host {host}"));
        let has_tls = root.spec.virtualhost.as_ref().is_some_and(|host| host.tls.is_some());
        let whole = self.whole(place, root, &way);
        let (leaves, replaced) = Default::default();
        let tree = Tree { root: place, class: root.class(), host, has_tls, whole, leaves, replaced };
        let mut growing = Growing { tree, known: HashMap::new(), steps: 0, used, above: vec![place] };
        self.grow(&mut growing, root, &way, &Conditions::default());
        growing.tree
    }

    /// Adds what an object serves under conditions. An include that is wrong in itself rejects the object that holds it.
    fn grow(
        &self,
        growing: &mut Growing<'w, '_>,
        object: &'w HttpProxy<'w>,
        way: &Rc<Way<'w>>,
        under: &Conditions<'w>,
    ) {
        let place = growing.above[growing.above.len() - 1];
        if let Some((at, because)) = self.fault(growing, place, object) {
            growing.tree.replaced.push(Loser { object: place.clone(), field: at.into(), because });
            return;
        }
        for (index, include) in object.spec.includes.iter().enumerate() {
            if !growing.may_go_on() {
                return;
            }
            let at = At::element("spec.includes[]", [index]);
            let (target, conditions) = (
                self.target(place, include.namespace_from(&place.namespace), &include.name),
                under.with(&include.conditions),
            );
            let says = |name: &str| format!("{} is included from {name}", conditions.beginning());
            match target {
                Ok((target, child)) if child.class() == object.class() => {
                    growing.used.insert(target);
                    growing.above.push(target);
                    self.grow(growing, child, &way.on(place, at, says(&target.to_string())), &conditions);
                    growing.above.pop();
                }
                Ok((target, _)) => growing.add(
                    place,
                    at,
                    way,
                    &conditions,
                    End::Answer(format!("502: {target} is of another class")),
                    false,
                ),
                Err(target) => {
                    growing.add(place, at, way, &conditions, End::Answer(format!("502: there is no {target}")), false)
                }
            }
        }
        for (index, route) in object.spec.routes.iter().enumerate() {
            if !growing.may_go_on() {
                return;
            }
            let (at, conditions) = (At::element("spec.routes[]", [index]), under.with(&route.conditions));
            growing.add(place, at, way, &conditions, end(route), route.permit_insecure);
        }
    }

    /// An include that leads to a root or back to where one came from.
    fn fault(&self, growing: &Growing<'w, '_>, place: &ObjectRef, object: &HttpProxy<'_>) -> Option<(At, String)> {
        object.spec.includes.iter().enumerate().find_map(|(index, include)| {
            let target = self.target(place, include.namespace_from(&place.namespace), &include.name).ok();
            let (target, child) = target.filter(|(_, child)| child.class() == object.class())?;
            let because = match growing.above.contains(&target) {
                true => format!("rejected: it includes {target}, which includes it"),
                false if child.spec.virtualhost.is_some() => format!("rejected: it includes {target}, which is a root"),
                false => return None,
            };
            Some((At::element("spec.includes[]", [index]), because))
        })
    }

    fn target(
        &self,
        own: &ObjectRef,
        namespace: &str,
        name: &str,
    ) -> Result<(&'w ObjectRef, &'w HttpProxy<'w>), ObjectRef> {
        let target = ObjectRef::new(own.kind, namespace, name);
        self.proxies.get_key_value(&target).map(|(place, proxy)| (*place, *proxy)).ok_or(target)
    }

    /// Where whole connections go.
    fn whole(&self, root: &'w ObjectRef, proxy: &'w HttpProxy<'w>, way: &Rc<Way<'w>>) -> Option<Leaf<'w>> {
        let at = At::field("spec.tcpproxy");
        let (mut place, mut object, mut way, mut seen) = (root, proxy, Rc::clone(way), HashSet::from([root]));
        loop {
            let tcpproxy = object.spec.tcpproxy.as_deref()?;
            let Some((_, include)) = tcpproxy.include() else {
                let candidate = Candidate::of_everything(place, None, at, [0, 0]);
                return Some(Leaf {
                    candidate,
                    way,
                    end: End::Services(services(&tcpproxy.services)),
                    permits_insecure: true,
                });
            };
            let namespace = include.namespace.as_deref().filter(|namespace| !namespace.is_empty());
            let target = self.target(place, namespace.unwrap_or(&place.namespace), &include.name).ok();
            let (target, child) = target.filter(|(target, _)| seen.insert(target))?;
            way = way.on(place, at, format!("connections are taken by {target}"));
            (place, object) = (target, child);
        }
    }
}

impl<'w> Growing<'w, '_> {
    /// Counts a step; whether there may be one more.
    fn may_go_on(&mut self) -> bool {
        self.steps += 1;
        self.steps <= MOST_STEPS && self.above.len() <= MOST_LEVELS
    }

    /// Adds a route; of two with the same conditions the later one stays.
    fn add(
        &mut self,
        place: &'w ObjectRef,
        at: At,
        way: &Rc<Way<'w>>,
        conditions: &Conditions<'w>,
        end: End<'w>,
        permits_insecure: bool,
    ) {
        let number = self.steps;
        if let Some((earlier, field, number)) = self.known.insert(conditions.key(), (place, at, number)) {
            let because = format!("{} of {place} has the same conditions and comes later", FieldPath::from(at));
            self.tree.leaves.retain(|leaf| leaf.candidate.position[0] != number);
            self.tree.replaced.push(Loser { object: earlier.clone(), field: field.into(), because });
        }
        let everything = Candidate::of_everything(place, None, at, [number, 0]);
        let (headers, query) = (conditions.headers.clone().into(), conditions.query.clone().into());
        let candidate = Candidate { path: conditions.path(), headers, query, ..everything };
        self.tree.leaves.push(Leaf { candidate, way: Rc::clone(way), end, permits_insecure });
    }
}

fn end<'w>(route: &'w ProxyRoute<'w>) -> End<'w> {
    if route.request_redirect_policy.0 {
        return End::Answer("a redirect".to_owned());
    }
    if route.direct_response_policy.0 {
        return End::Answer("a fixed response".to_owned());
    }
    End::Services(services(&route.services))
}

/// The services that answer: mirrors only get copies.
fn services<'w>(services: &'w [ProxyService<'w>]) -> Vec<(&'w str, Option<i64>, Option<i64>)> {
    let answering = services.iter().filter(|service| !service.mirror);
    answering.map(|service| (&*service.name, service.port, service.weight)).collect()
}
