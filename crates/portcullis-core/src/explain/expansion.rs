//! How the tree of an HTTPProxy grows: include by include, depth first, each object's own routes after those that it includes.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::answer::Loser;
use super::candidate::Candidate;
use super::conditions::{InheritedConditions, Key, rank};
use super::forest::{Forest, Target, services};
use super::route_chain::{End, ResolvedRoute, RouteChain};
use super::trees::Tree;
use crate::field::{At, FieldPath};
use crate::kinds::http_proxy::ProxyRoute;
use crate::kinds::{HttpProxy, ObjectRef};
use crate::message::render_message;

/// How many routes and includes of one root are looked at beyond its own: each level of includes may double them.
const MAX_STEPS: usize = 20_000;
/// How many levels of includes are looked at.
const MAX_LEVELS: usize = 256;

/// What Contour does with an object of which one route is invalid.
const DROPPED: &str = "Contour drops every route of the object, those that it includes too";

/// Adds all that `root` serves to its tree, as far as it is looked at.
pub(super) fn grow<'w>(forest: &Forest<'_, 'w>, tree: &mut Tree<'w>, root: &'w HttpProxy<'w>, way: Rc<RouteChain<'w>>) {
    let levels = levels(forest, tree.root, root);
    let mut growth = Growth { forest, levels, above: vec![tree.root], is_cut: false, lost: Vec::new() };
    let grown = growth.object(root, &way, &InheritedConditions::default());
    if growth.is_cut {
        let reason = format!("looked at {levels} levels deep, of too much to look at all: others may answer");
        tree.replaced.push(Loser { object: tree.root.clone(), field: At::field("spec.includes").into(), reason });
    }
    tree.replaced.append(&mut growth.lost);
    let mut known: HashMap<Key<'w>, usize> = HashMap::new();
    let mut leaves: Vec<Option<ResolvedRoute<'w>>> = Vec::with_capacity(grown.len());
    for (key, leaf) in grown {
        // Of two with the same conditions the later one stays.
        let earlier = known.insert(key, leaves.len()).and_then(|earlier| leaves[earlier].take());
        if let Some(ResolvedRoute { candidate: earlier, .. }) = earlier {
            let (object, field) = (leaf.candidate.object, FieldPath::from(leaf.candidate.field));
            let reason = format!("{field} of {object} has the same conditions and comes later");
            tree.replaced.push(Loser { object: earlier.object.clone(), field: earlier.field.into(), reason });
        }
        leaves.push(Some(leaf));
    }
    tree.leaves.extend(leaves.into_iter().flatten());
    arrange(tree);
}

/// How many levels may be looked at as a whole: objects are counted, not entered, so that this is quick however many ways there are.
fn levels<'w>(forest: &Forest<'_, 'w>, object_ref: &'w ObjectRef, root: &'w HttpProxy<'w>) -> usize {
    let (mut level, mut steps) = (BTreeMap::from([(object_ref, (root, 1_usize))]), 0_usize);
    for depth in 1..MAX_LEVELS {
        let mut below = BTreeMap::new();
        for (object_ref, (object, times)) in level {
            for include in &object.spec.includes {
                let namespace = include.namespace_from(&object_ref.namespace);
                if let Target::Part(target, part) = forest.target(object_ref, object.class(), namespace, &include.name)
                {
                    let (_, known) = below.entry(target).or_insert((part, 0_usize));
                    *known = known.saturating_add(times);
                }
            }
        }
        let own = |(object, times): &(&HttpProxy<'_>, usize)| {
            times.saturating_mul(object.spec.routes.len() + object.spec.includes.len())
        };
        steps = below.values().map(own).fold(steps, usize::saturating_add);
        if below.is_empty() || steps > MAX_STEPS {
            return depth;
        }
        level = below;
    }
    MAX_LEVELS
}

/// Gives each route the position that it has among those that ask for as much: by its headers, then by its parameters, as Contour sorts
/// them.
fn arrange(tree: &mut Tree<'_>) {
    tree.leaves.sort_by_cached_key(|leaf| (rank(&leaf.candidate.headers), rank(&leaf.candidate.query)));
    for (position, leaf) in tree.leaves.iter_mut().enumerate() {
        leaf.candidate.position = [position, 0];
    }
}

type Grown<'w> = Vec<(Key<'w>, ResolvedRoute<'w>)>;

struct Growth<'f, 'g, 'w> {
    forest: &'f Forest<'g, 'w>,
    /// The objects from the root to the one at hand.
    above: Vec<&'w ObjectRef>,
    /// How many levels are looked at.
    levels: usize,
    /// Whether there are more.
    is_cut: bool,
    lost: Vec<Loser>,
}

impl<'w> Growth<'_, '_, 'w> {
    fn lose(&mut self, object_ref: &ObjectRef, at: impl Into<FieldPath>, reason: String) {
        self.lost.push(Loser { object: object_ref.clone(), field: at.into(), reason });
    }

    /// What an object serves under conditions. For one route that is wrong Contour drops all of them, those that are included too.
    fn object(
        &mut self,
        object: &'w HttpProxy<'w>,
        way: &Rc<RouteChain<'w>>,
        under: &InheritedConditions<'w>,
    ) -> Grown<'w> {
        let object_ref = self.above[self.above.len() - 1];
        let mut grown = self.includes(object, way, under);
        if let Some(error) = &self.forest.errors(object_ref).routes {
            self.lose(object_ref, error.at.clone(), format!("{}: {DROPPED}", render_message(error)));
            return Vec::new();
        }
        for (index, route) in object.spec.routes.iter().enumerate() {
            let (at, conditions) = (At::element("spec.routes[]", [index]), under.with(&route.conditions));
            if let Some(error) = conditions.error() {
                self.lose(object_ref, at, format!("{}: {DROPPED}", render_message(&error)));
                return Vec::new();
            }
            grown.push(self.leaf((object_ref, at), way, &conditions, end(route), route.permit_insecure));
        }
        grown
    }

    /// What the includes of an object add. One that is wrong is left out, and one that leads nowhere answers 502.
    fn includes(
        &mut self,
        object: &'w HttpProxy<'w>,
        way: &Rc<RouteChain<'w>>,
        under: &InheritedConditions<'w>,
    ) -> Grown<'w> {
        let object_ref = self.above[self.above.len() - 1];
        let mut grown = Vec::new();
        for (index, include) in object.spec.includes.iter().enumerate() {
            let at = At::element("spec.includes[]", [index]);
            if let Some(error) = self.forest.errors(object_ref).includes.get(&index) {
                self.lose(object_ref, at, format!("{}: Contour drops the include", render_message(error)));
                continue;
            }
            let conditions = under.with(&include.conditions);
            let namespace = include.namespace_from(&object_ref.namespace);
            match self.forest.target(object_ref, object.class(), namespace, &include.name) {
                Target::Part(target, _) if self.above.contains(&target) => {
                    self.lose(object_ref, at, format!("{target} includes it: the cycle ends here"));
                }
                Target::Part(..) if self.above.len() == self.levels => self.is_cut = true,
                Target::Part(target, part) => {
                    let message = format!("{} is included from {target}", conditions.beginning());
                    self.above.push(target);
                    grown.extend(self.object(part, &way.on(object_ref, at, message), &conditions));
                    self.above.pop();
                }
                Target::None(why) if include.conditions.is_empty() => self.lose(object_ref, at, why),
                Target::None(why) => {
                    let end = End::Explanation(format!("502: {why}"));
                    grown.push(self.leaf((object_ref, at), way, &conditions, end, true));
                }
            }
        }
        grown
    }

    fn leaf(
        &self,
        (object_ref, at): (&'w ObjectRef, At),
        way: &Rc<RouteChain<'w>>,
        conditions: &InheritedConditions<'w>,
        end: End<'w>,
        permits_insecure: bool,
    ) -> (Key<'w>, ResolvedRoute<'w>) {
        let everything = Candidate::of_everything(object_ref, None, at, [0, 0]);
        let (path, headers, query) = (conditions.path(), conditions.headers(), conditions.query());
        let candidate = Candidate { head: self.above[0], path, headers, query, ..everything };
        (conditions.key(), ResolvedRoute { candidate, way: Rc::clone(way), end, permits_insecure })
    }
}

fn end<'w>(route: &'w ProxyRoute<'w>) -> End<'w> {
    match (route.request_redirect_policy.0, route.direct_response_policy.0) {
        (true, _) => End::Explanation("a redirect".to_owned()),
        (_, true) => End::Explanation("a fixed response".to_owned()),
        _ => End::Services(services(&route.services)),
    }
}
