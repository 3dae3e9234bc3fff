//! Part of `host/path-takes-requests`: which paths of others are matched with which expressions.

use crate::matching::path_expression::{Expression, beginning};
use crate::matching::path_interpretation::NotatedPath;
use crate::matching::prefix_tree::PrefixTree;

/// With how many paths of others an expression is matched.
pub(super) const MAX_PATHS: usize = 64;

/// How many bytes these paths may have together.
const MAX_TEXT: usize = 4096;

/// The paths that an expression may match and that are evaluated after it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Candidates {
    /// The position of the first one.
    pub first: Option<usize>,
    /// The positions of those to match, in order.
    pub positions: Vec<usize>,
    /// Whether there are more than these.
    pub has_more: bool,
    text: usize,
}

impl Candidates {
    /// Adds a path. Returns whether there is room for another.
    fn add(&mut self, position: usize, path: &str) -> bool {
        self.text += path.len();
        self.has_more = self.positions.len() == MAX_PATHS || self.text > MAX_TEXT;
        self.first = self.first.or(Some(position));
        self.positions.extend((!self.has_more).then_some(position));
        !self.has_more
    }
}

/// For each of the `expressions`, which one controller reads, the first paths of `ranked` that begin with its literal
/// prefix and are evaluated after it. An expression with enough of them is not visited again, so the work is that of a
/// look-up for each path, and of [`MAX_PATHS`] for each expression.
pub(super) fn candidates(expressions: &[Expression<'_>], ranked: &[NotatedPath<'_>]) -> Vec<Candidates> {
    let mut found = vec![Candidates::default(); expressions.len()];
    let prefix = |expression: &Expression<'_>| expression.comparable(expression.literal_prefix()).into_owned();
    let tree = PrefixTree::new(expressions.iter().map(prefix));
    let mut waiting = WaitingExpressions::new(&tree, expressions, prefix);
    for (position, theirs) in ranked.iter().enumerate() {
        let plain = beginning(theirs.text);
        let Some(first) = expressions.first().filter(|_| !plain.is_empty()) else { continue };
        let mut node = tree.deepest(&first.comparable(plain));
        while let Some(at) = node.and_then(|node| waiting.nearest(node)) {
            let numbers = &mut waiting.expressions[at];
            let first = numbers.partition_point(|number| !expressions[*number].is_before(theirs));
            let mut is_full = false;
            for number in &numbers[first..] {
                is_full |= !found[*number].add(position, plain);
            }
            if is_full {
                numbers.retain(|number| !found[*number].has_more);
            }
            node = tree.parent(at);
        }
    }
    found
}

/// The expressions that have room for further paths, by literal prefix.
struct WaitingExpressions {
    /// By node, in the order of their keys.
    expressions: Vec<Vec<usize>>,
    /// For a node without expressions, an ancestor up to which no node has any.
    skip: Vec<Option<usize>>,
}

impl WaitingExpressions {
    fn new(
        tree: &PrefixTree<String>,
        expressions: &[Expression<'_>],
        prefix: impl Fn(&Expression<'_>) -> String,
    ) -> Self {
        let mut by_node = vec![Vec::new(); tree.len()];
        let mut numbers: Vec<usize> = (0..expressions.len()).collect();
        numbers.sort_by_key(|number| expressions[*number].order_key());
        for number in numbers {
            if let Some(node) = tree.position(&prefix(&expressions[number])) {
                by_node[node].push(number);
            }
        }
        Self { expressions: by_node, skip: (0..tree.len()).map(|node| tree.parent(node)).collect() }
    }

    /// The node or its nearest ancestor that has expressions.
    fn nearest(&mut self, node: usize) -> Option<usize> {
        let mut passed = Vec::new();
        let mut at = Some(node);
        while let Some(node) = at.filter(|node| self.expressions[*node].is_empty()) {
            passed.push(node);
            at = self.skip[node];
        }
        passed.into_iter().for_each(|node| self.skip[node] = at);
        at
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::matching::PathType;
    use crate::matching::controller::Controller::IngressNginx;
    use crate::matching::path_interpretation::PathNotation;

    fn expression(written: &str) -> Expression<'_> {
        let expression = Expression::of(PathType::ImplementationSpecific, written, true, IngressNginx);
        expression.expect("an expression")
    }

    fn path(text: &str) -> NotatedPath<'_> {
        NotatedPath { kind: PathType::Prefix, text, notation: PathNotation::default() }
    }

    proptest! {
        #[test]
        fn the_best_ranked_paths_below_a_prefix_are_found(
            written in prop::collection::vec("/[abA]{0,3}[.][*]b{0,3}", 1..20),
            paths in prop::collection::vec("/[abB]{0,4}", 0..200),
        ) {
            let expressions: Vec<_> = written.iter().map(|written| expression(written)).collect();
            let ranked: Vec<_> = paths.iter().map(|text| path(text)).collect();
            for (own, found) in expressions.iter().zip(candidates(&expressions, &ranked)) {
                let prefix = own.comparable(own.literal_prefix());
                let is_below = |path: &NotatedPath<'_>| own.comparable(path.text).starts_with(&*prefix);
                let below = (0..ranked.len()).filter(|number| is_below(&ranked[*number]));
                let after: Vec<usize> = below.filter(|number| own.is_before(&ranked[*number])).collect();
                prop_assert_eq!((found.has_more, found.first), (after.len() > MAX_PATHS, after.first().copied()));
                prop_assert_eq!(&found.positions[..], &after[..after.len().min(MAX_PATHS)]);
            }
        }
    }

    #[test]
    fn paths_are_limited_by_their_text_as_well() {
        let long = format!("/{}", "a".repeat(3000));
        let written = format!("{long}.*{}", "b".repeat(3000));
        let found = candidates(&[expression(&written)], &[path(&long), path(&long)]);
        assert_eq!((&found[0].positions[..], found[0].has_more), (&[0][..], true));
        let long = long.repeat(2);
        let written = format!("{long}.*{long}");
        let found = candidates(&[expression(&written)], &[path(&long)]);
        assert_eq!((found[0].first, &found[0].positions[..], found[0].has_more), (Some(0), &[][..], true));
    }
}
