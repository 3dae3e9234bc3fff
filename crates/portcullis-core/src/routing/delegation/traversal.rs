//! A traversal from the accepted roots downward. It finds the objects that close a cycle, and an order in which objects
//! come before the targets of their delegations.

use super::component::{Component, End, NodeKind};

/// The result of a traversal.
pub(super) struct Traversal {
    /// For each object whose delegation closes a cycle, the objects on the cycle. The object is the first and the last
    /// of them.
    pub(super) cycles: Vec<Option<Vec<usize>>>,
    /// The objects that are reached, each before the targets of its delegations.
    pub(super) order: Vec<usize>,
    /// The number of delegations that were looked at.
    pub(super) steps: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Not,
    Open,
    Done,
}

impl Traversal {
    /// Traverses depth first from each accepted root, in order, over delegations between objects that are valid by
    /// themselves. Nothing is visited twice, and nothing recurses, because a chain may be longer than the stack is
    /// deep.
    pub(super) fn of(component: &Component<'_>) -> Self {
        let nodes = &component.nodes;
        let mut seen = vec![Seen::Not; nodes.len()];
        let mut walk = Self { cycles: vec![None; nodes.len()], order: Vec::with_capacity(nodes.len()), steps: 0 };
        let roots = nodes.iter().enumerate().filter(|(_, node)| node.kind == NodeKind::Root && node.why.is_none());
        for (root, _) in roots {
            let mut open = vec![(root, 0)];
            seen[root] = Seen::Open;
            while let Some((position, next)) = open.last_mut() {
                let position = *position;
                let Some(link) = nodes[position].links.get(*next) else {
                    seen[position] = Seen::Done;
                    walk.order.push(position);
                    open.pop();
                    continue;
                };
                *next += 1;
                walk.steps += 1;
                let End::Node(target) = link.end else { continue };
                if nodes[target].kind != NodeKind::Vertex || nodes[target].why.is_some() {
                    continue;
                }
                match seen[target] {
                    Seen::Done => {}
                    Seen::Open => {
                        walk.cycles[position].get_or_insert_with(|| around(&open, target));
                    }
                    Seen::Not => {
                        seen[target] = Seen::Open;
                        open.push((target, 0));
                    }
                }
            }
        }
        walk.order.reverse();
        walk
    }
}

/// The cycle that the last open object closes by delegating to `target`, which is open too.
fn around(open: &[(usize, usize)], target: usize) -> Vec<usize> {
    let begin = open.iter().position(|(position, _)| *position == target).unwrap_or(0);
    let closer = open.last().map(|(position, _)| *position);
    closer.into_iter().chain(open[begin..].iter().map(|(position, _)| *position)).collect()
}
