//! The rules of the design document over plain values, as simply as possible: sets and recursion, evaluated from
//! scratch for each question.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{Model, PORT, Place, Plain};

/// The verdict on one object: its state, the roots above it, and the indexes of the routes whose delegation fails. The
/// last index is that of `tcpproxy`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaneResponse {
    pub state: &'static str,
    pub roots: BTreeSet<Place>,
    pub failing: BTreeSet<usize>,
}

pub struct Oracle<'m> {
    model: &'m Model,
    extensions: bool,
}

impl<'m> Oracle<'m> {
    pub fn new(model: &'m Model, extensions: bool) -> Self {
        Self { model, extensions }
    }

    pub fn responses(&self) -> BTreeMap<Place, PlaneResponse> {
        let closers = self.closers();
        let is_good = |object_ref: &Place| !self.is_bad(object_ref) && !closers.contains(object_ref);
        // Which objects are reached, from which roots, and whether by `tcpproxy`: repeated until nothing changes.
        let mut reached: BTreeMap<(Place, bool), BTreeSet<Place>> = BTreeMap::new();
        for root in self.roots() {
            reached.insert((root, false), [root].into());
            reached.insert((root, true), [root].into());
        }
        loop {
            let before = reached.clone();
            for ((from, is_tcp), roots) in &before {
                for (_, prefix, to) in
                    self.delegations(from).into_iter().filter(|(_, prefix, _)| prefix.is_none() == *is_tcp)
                {
                    if is_good(from) && self.is_vertex_for(from, &to) && is_good(&to) && self.accepts(prefix, &to) {
                        reached.entry((to, *is_tcp)).or_default().extend(roots);
                    }
                }
            }
            if before == reached {
                break;
            }
        }
        let is_live = |object_ref: &Place| [false, true].iter().any(|tcp| reached.contains_key(&(*object_ref, *tcp)));
        let responses = self.model.routes.iter().map(|(object_ref, plain)| {
            let roots = [false, true]
                .into_iter()
                .filter_map(|tcp| reached.get(&(*object_ref, tcp)))
                .flatten()
                .copied()
                .collect();
            let pointed = || {
                reached.keys().any(|(from, tcp)| {
                    let to = self.delegations(from).into_iter().filter(|(_, prefix, _)| prefix.is_none() == *tcp);
                    is_good(from) && to.into_iter().any(|(_, _, to)| to == *object_ref && self.is_vertex_for(from, &to))
                })
            };
            let state = match plain.host {
                Some(_) if self.is_bad(object_ref) => "invalid",
                Some(_) => "valid",
                None if is_live(object_ref) => "valid",
                None if pointed() => "invalid",
                None => "orphaned",
            };
            let mut failing = BTreeSet::new();
            for (index, prefix, to) in self.delegations(object_ref) {
                let fails = !self.is_vertex_for(object_ref, &to) || !is_good(&to) || !self.accepts(prefix, &to);
                if fails && reached.contains_key(&(*object_ref, prefix.is_none())) && is_good(object_ref) {
                    failing.insert(index);
                }
            }
            (
                *object_ref,
                PlaneResponse { state, roots: if state == "valid" { roots } else { BTreeSet::new() }, failing },
            )
        });
        responses.collect()
    }

    /// The objects that are connected with `start` by delegations or by a common host.
    pub fn component(&self, start: Place) -> BTreeSet<Place> {
        let routes = &self.model.routes;
        let mut all = BTreeSet::from([start]);
        loop {
            let before = all.len();
            for (object_ref, plain) in routes {
                let delegates = |from: &Place, to: &Place| {
                    routes.contains_key(from) && self.delegations(from).iter().any(|(_, _, target)| target == to)
                };
                let shares = |other: &Place| {
                    let other = routes.get(other);
                    other.is_some_and(|other| {
                        plain.host.is_some_and(|host| !host.is_empty()) && other.host == plain.host
                    })
                };
                if all.iter().any(|other| delegates(object_ref, other) || delegates(other, object_ref) || shares(other))
                {
                    all.insert(*object_ref);
                }
            }
            if all.len() == before {
                return all;
            }
        }
    }

    fn roots(&self) -> Vec<Place> {
        let all = self.model.routes.iter();
        all.filter(|(object_ref, plain)| plain.host.is_some() && !self.is_bad(object_ref))
            .map(|(object_ref, _)| *object_ref)
            .collect()
    }

    fn delegations(&self, from: &Place) -> Vec<(usize, Option<&'static str>, Place)> {
        let plain = &self.model.routes[from];
        let routes =
            plain.routes.iter().enumerate().filter_map(|(index, (prefix, to))| Some((index, Some(*prefix), (*to)?)));
        routes.chain(plain.tcp_target.map(|to| (plain.routes.len(), None, to))).collect()
    }

    fn is_vertex_for(&self, from: &Place, to: &Place) -> bool {
        let class = |object_ref: &Place| self.model.routes[object_ref].class;
        self.model.routes.get(to).is_some_and(|target| target.host.is_none() && target.class == class(from))
    }

    fn accepts(&self, prefix: Option<&str>, to: &Place) -> bool {
        let target = &self.model.routes[to];
        let segments =
            |path: &str| path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<_>>();
        match prefix {
            Some(prefix) => target.routes.iter().all(|(route, _)| segments(route).starts_with(&segments(prefix))),
            None => target.is_tcp,
        }
    }

    fn may_be_root(object_ref: &Place) -> bool {
        object_ref.0 != "c"
    }

    /// Whether an object is invalid, whatever delegates to it.
    fn is_bad(&self, object_ref: &Place) -> bool {
        let routes = &self.model.routes;
        let plain = &routes[object_ref];
        let claims = |(other, owner): (&Place, &Plain)| {
            other != object_ref && Self::may_be_root(other) && owner.class == plain.class && owner.host == plain.host
        };
        let is_root = plain.host.is_some();
        let is_taken = is_root && plain.host != Some("") && routes.iter().any(claims);
        let lacks_service = plain.needs_service && self.model.services.get(object_ref.0) != Some(&PORT);
        let is_lent =
            object_ref.0 == "c" || self.model.delegated == Some("*") || self.model.delegated == Some(object_ref.0);
        let lacks_certificate = plain.borrows && !(self.extensions && is_lent);
        let to_root = self.delegations(object_ref).into_iter().any(|(_, _, to)| {
            let target = routes.get(&to);
            target.is_some_and(|target| target.host.is_some() && target.class == plain.class && Self::may_be_root(&to))
        });
        (is_root && !Self::may_be_root(object_ref))
            || plain.is_faulty
            || is_taken
            || (plain.is_tcp && !self.extensions)
            || lacks_service
            || lacks_certificate
            || to_root
    }

    /// The objects that delegate to an object on the current path, in a depth-first walk that visits each object once,
    /// from the roots in order.
    fn closers(&self) -> BTreeSet<Place> {
        let (mut closers, mut seen) = (BTreeSet::new(), BTreeSet::new());
        for root in self.roots() {
            self.walk(root, &mut vec![root], &mut seen, &mut closers);
        }
        closers
    }

    fn walk(&self, at: Place, way: &mut Vec<Place>, seen: &mut BTreeSet<Place>, closers: &mut BTreeSet<Place>) {
        seen.insert(at);
        for (_, _, to) in self.delegations(&at) {
            if !self.is_vertex_for(&at, &to) || self.is_bad(&to) {
                continue;
            }
            if way.contains(&to) {
                closers.insert(at);
            } else if !seen.contains(&to) {
                way.push(to);
                self.walk(to, way, seen, closers);
                way.pop();
            }
        }
    }
}
