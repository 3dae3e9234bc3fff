//! Expands the tree of an HTTPProxy depth first. The routes of an object come after those of the objects that it
//! includes.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::answer::Loser;
use super::candidate::Candidate;
use super::conditions::{ConditionsKey, InheritedConditions, rank};
use super::forest::{Forest, IncludeTarget};
use super::not_evaluated::NotEvaluated;
use super::route_action::{self, RouteAction};
use super::route_chain::{ResolvedRoute, RouteChain};
use super::slash_variants::{Expanded, with_slash_variants};
use super::trees::Tree;
use crate::field::{At, FieldPath};
use crate::kinds::{HttpProxy, ObjectRef};
use crate::matching::PathTest;
use crate::message::render_message;

/// The maximum number of routes and includes of a root that are expanded beyond its own. Each level of includes may
/// double them.
const MAX_STEPS: usize = 20_000;
/// The maximum number of levels of includes that are expanded.
const MAX_LEVELS: usize = 256;

/// How Contour handles an object with one invalid route.
const DROPPED: &str = "Contour drops every route of the object and of the objects that it includes";

/// Adds the routes that `root` serves to its tree, down to the level that the limits allow.
pub(super) fn expand<'w>(
    forest: &Forest<'_, 'w>,
    tree: &mut Tree<'w>,
    root: &'w HttpProxy<'w>,
    chain: Rc<RouteChain<'w>>,
) {
    let levels = levels(forest, tree.root, root);
    let mut expansion = Expansion { forest, levels, above: vec![tree.root], is_cut: false, losers: Vec::new() };
    let expanded = expansion.object(root, &chain, &InheritedConditions::default());
    if expansion.is_cut {
        let reason = format!("evaluated {levels} levels of objects only, from the root on; a deeper route may answer");
        tree.replaced.push(Loser {
            object: tree.root.clone(),
            field: At::field("spec.includes").into(),
            reason,
            is_elsewhere: false,
        });
    }
    tree.replaced.append(&mut expansion.losers);
    let mut known: HashMap<ConditionsKey<'w>, usize> = HashMap::new();
    let mut leaves: Vec<Option<ResolvedRoute<'w>>> = Vec::with_capacity(expanded.len());
    for (key, leaf) in expanded {
        // Of two routes with the same conditions, the later one is kept.
        let earlier = known.insert(key, leaves.len()).and_then(|earlier| leaves[earlier].take());
        if let Some(ResolvedRoute { candidate: earlier, .. }) = earlier {
            let (object, field) = (leaf.candidate.object, FieldPath::from(leaf.candidate.field));
            let reason = format!("{field} of {object} has the same conditions and comes later");
            tree.replaced.push(Loser {
                object: earlier.object.clone(),
                field: earlier.field.into(),
                reason,
                is_elsewhere: false,
            });
        }
        leaves.push(Some(leaf));
    }
    tree.leaves.extend(leaves.into_iter().flatten());
    set_positions(tree);
}

/// The number of levels that the limits allow. The objects of each level are counted with the number of chains that
/// lead to them instead of being expanded, so this is fast even if there are very many chains.
fn levels<'w>(forest: &Forest<'_, 'w>, object_ref: &'w ObjectRef, root: &'w HttpProxy<'w>) -> usize {
    let (mut level, mut steps) = (BTreeMap::from([(object_ref, (root, 1_usize))]), 0_usize);
    for depth in 1..MAX_LEVELS {
        let mut below = BTreeMap::new();
        for (object_ref, (object, times)) in level {
            for include in &object.spec.includes {
                let namespace = include.namespace_from(&object_ref.namespace);
                if let IncludeTarget::Resolved(target, part) =
                    forest.target(object_ref, object.class(), namespace, &include.name)
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

/// Sets the positions, which decide between routes with equally many conditions: Contour sorts them by their headers,
/// then by their parameters.
fn set_positions(tree: &mut Tree<'_>) {
    tree.leaves.sort_by_cached_key(|leaf| (rank(&leaf.candidate.headers), rank(&leaf.candidate.query)));
    for (position, leaf) in tree.leaves.iter_mut().enumerate() {
        leaf.candidate.position = [position, 0];
    }
}

struct Expansion<'f, 'g, 'w> {
    forest: &'f Forest<'g, 'w>,
    /// The objects from the root to the current one.
    above: Vec<&'w ObjectRef>,
    /// The number of levels to expand.
    levels: usize,
    /// Whether deeper levels were omitted.
    is_cut: bool,
    /// What keeps a route or an include from being served.
    losers: Vec<Loser>,
}

impl<'w> Expansion<'_, '_, 'w> {
    fn record_loser(&mut self, object_ref: &ObjectRef, at: impl Into<FieldPath>, reason: String) {
        self.losers.push(Loser { object: object_ref.clone(), field: at.into(), reason, is_elsewhere: false });
    }

    /// The routes of an object, including those of its includes. If one of its own routes is invalid, Contour drops all
    /// of them.
    fn object(
        &mut self,
        object: &'w HttpProxy<'w>,
        chain: &Rc<RouteChain<'w>>,
        inherited: &InheritedConditions<'w>,
    ) -> Expanded<'w> {
        let object_ref = self.above[self.above.len() - 1];
        let mut expanded = self.includes(object, chain, inherited);
        if let Some(error) = &self.forest.errors(object_ref).routes {
            self.record_loser(object_ref, error.at.clone(), format!("{}: {DROPPED}", render_message(error)));
            return Vec::new();
        }
        for (index, route) in object.spec.routes.iter().enumerate() {
            let (at, conditions) = (At::element("spec.routes[]", [index]), inherited.with(&route.conditions));
            if let Some(error) = conditions.error() {
                self.record_loser(object_ref, at, format!("{}: {DROPPED}", render_message(&error)));
                return Vec::new();
            }
            let rewrites = route.path_rewrite_policy.as_ref().is_some_and(|policy| !policy.replace_prefix.is_empty());
            if rewrites && !matches!(conditions.path(), PathTest::Begins(_)) {
                let reason = format!("pathRewritePolicy.replacePrefix requires a prefix condition: {DROPPED}");
                self.record_loser(object_ref, at, reason);
                return Vec::new();
            }
            let action = route_action::of_proxy(route, at, &conditions.path());
            expanded.push(self.resolved((object_ref, at), chain, &conditions, action, route.permit_insecure));
        }
        with_slash_variants(expanded)
    }

    /// The routes that the includes of an object add. An invalid include is omitted, and an include without a valid
    /// target answers 502.
    fn includes(
        &mut self,
        object: &'w HttpProxy<'w>,
        chain: &Rc<RouteChain<'w>>,
        inherited: &InheritedConditions<'w>,
    ) -> Expanded<'w> {
        let object_ref = self.above[self.above.len() - 1];
        let mut expanded = Vec::new();
        for (index, include) in object.spec.includes.iter().enumerate() {
            let at = At::element("spec.includes[]", [index]);
            if let Some(error) = self.forest.errors(object_ref).includes.get(&index) {
                self.record_loser(object_ref, at, format!("{}: Contour drops the include", render_message(error)));
                continue;
            }
            let conditions = inherited.with(&include.conditions);
            let namespace = include.namespace_from(&object_ref.namespace);
            match self.forest.target(object_ref, object.class(), namespace, &include.name) {
                IncludeTarget::Resolved(target, _) if self.above.contains(&target) => {
                    self.record_loser(object_ref, at, format!("{target} includes it: the cycle ends here"));
                }
                IncludeTarget::Resolved(..) if self.above.len() == self.levels => self.is_cut = true,
                IncludeTarget::Resolved(target, part) => {
                    let message = format!("{} is included from {target}", conditions.beginning());
                    self.above.push(target);
                    expanded.extend(self.object(part, &chain.followed_by(object_ref, at, message), &conditions));
                    self.above.pop();
                }
                IncludeTarget::Unresolved(why) if include.conditions.is_empty() => {
                    self.record_loser(object_ref, at, why)
                }
                IncludeTarget::Unresolved(why) => {
                    // Contour leaves out the conditions that lead to the object.
                    let own = InheritedConditions::default().with(&include.conditions);
                    let action = (RouteAction::Response(Some(502), format!("502: {why}")), Vec::new());
                    expanded.push(self.resolved((object_ref, at), chain, &own, action, true));
                }
            }
        }
        expanded
    }

    fn resolved(
        &self,
        (object_ref, at): (&'w ObjectRef, At),
        chain: &Rc<RouteChain<'w>>,
        conditions: &InheritedConditions<'w>,
        (action, not_evaluated): (RouteAction<'w>, Vec<NotEvaluated>),
        permits_insecure: bool,
    ) -> (ConditionsKey<'w>, ResolvedRoute<'w>) {
        let everything = Candidate::of_everything(object_ref, None, at, [0, 0]);
        let (path, headers, query) = (conditions.path(), conditions.headers(), conditions.query());
        let candidate = Candidate { head: self.above[0], path, headers, query, ..everything };
        (
            conditions.key(),
            ResolvedRoute { candidate, chain: Rc::clone(chain), action, not_evaluated, permits_insecure },
        )
    }
}
