//! Texts by their prefixes: which of them begin a given text, and which begin with it. A sorted list answers both in
//! logarithmic time.

/// Distinct texts, each with the longest other one that it begins with, its parent.
#[derive(Debug)]
pub struct PrefixTree<T> {
    /// Sorted, so that a text comes directly before those that begin with it.
    texts: Vec<T>,
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    parent: Option<usize>,
    /// An ancestor so far away that a search for one takes logarithmic time; the node itself if it has no parent.
    jump: usize,
    depth: usize,
}

impl<T: AsRef<str> + Ord> PrefixTree<T> {
    /// The tree of `texts`.
    pub fn new(texts: impl IntoIterator<Item = T>) -> Self {
        let mut texts: Vec<T> = texts.into_iter().collect();
        texts.sort_unstable();
        texts.dedup();
        let mut tree = Self { nodes: Vec::with_capacity(texts.len()), texts };
        for position in 0..tree.texts.len() {
            let text = tree.texts[position].as_ref();
            let parent = position.checked_sub(1).and_then(|last| tree.ancestor(last, shared(tree.text(last), text)));
            let node = tree.node(position, parent);
            tree.nodes.push(node);
        }
        tree
    }

    /// The node at `position`, below `parent`. Jumps double as in a skew-binary number.
    fn node(&self, position: usize, parent: Option<usize>) -> Node {
        let Some(above) = parent else { return Node { parent, jump: position, depth: 0 } };
        let (upper, far) = (self.nodes[above], self.nodes[self.nodes[above].jump]);
        let is_even = upper.depth - far.depth == far.depth - self.nodes[far.jump].depth;
        Node { parent, jump: if is_even { far.jump } else { above }, depth: upper.depth + 1 }
    }

    /// The node at `position` or its nearest ancestor whose text has at most `length` bytes.
    fn ancestor(&self, mut position: usize, length: usize) -> Option<usize> {
        while self.text(position).len() > length {
            let node = self.nodes[position];
            position = if self.text(node.jump).len() > length { node.jump } else { position };
            position = self.nodes[position].parent?;
        }
        Some(position)
    }

    fn text(&self, position: usize) -> &str {
        self.texts[position].as_ref()
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are no texts.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The position of `text`.
    pub fn position(&self, text: &str) -> Option<usize> {
        self.texts.binary_search_by(|own| own.as_ref().cmp(text)).ok()
    }

    /// The position of the longest text with which `text` begins.
    pub fn deepest(&self, text: &str) -> Option<usize> {
        let last = self.texts.partition_point(|own| own.as_ref() <= text).checked_sub(1)?;
        self.ancestor(last, shared(self.text(last), text))
    }

    /// The position of the longest other text with which the text at `position` begins.
    pub fn parent(&self, position: usize) -> Option<usize> {
        self.nodes[position].parent
    }

    /// The positions of the texts that begin with `text`.
    pub fn below(&self, text: &str) -> std::ops::Range<usize> {
        let first = self.texts.partition_point(|own| own.as_ref() < text);
        let number = self.texts[first..].partition_point(|own| own.as_ref().starts_with(text));
        first..first + number
    }
}

/// The number of bytes at the beginning that both texts have in common.
fn shared(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn prefix_tree_equals_a_scan(texts in prop::collection::vec("[ab]{0,5}", 0..40), asked in "[abc]{0,6}") {
            let tree = PrefixTree::new(texts.iter().map(String::as_str));
            let longest = |is_meant: &dyn Fn(&str) -> bool, text: &str| {
                let begun = tree.texts.iter().filter(|own| text.starts_with(**own) && is_meant(own));
                begun.max_by_key(|own| own.len()).copied()
            };
            prop_assert_eq!(tree.deepest(&asked).map(|position| tree.text(position)), longest(&|_| true, &asked));
            for position in 0..tree.len() {
                let text = tree.text(position);
                let parent = tree.parent(position).map(|parent| tree.text(parent));
                prop_assert_eq!(parent, longest(&|own| own != text, text));
                prop_assert_eq!(tree.position(text), Some(position));
            }
            let below = tree.texts.iter().filter(|own| own.starts_with(&*asked)).count();
            prop_assert_eq!(tree.below(&asked).len(), below);
            prop_assert!(tree.texts[tree.below(&asked)].iter().all(|own| own.starts_with(&*asked)));
        }
    }

    #[test]
    fn a_long_chain_is_climbed_in_few_steps() {
        let texts: Vec<String> = (0..1000).map(|length| "a".repeat(length)).collect();
        let tree = PrefixTree::new(texts.iter().map(String::as_str));
        for length in 0..1000 {
            assert_eq!(tree.deepest(&format!("{}b", "a".repeat(length))), Some(length));
        }
    }
}
