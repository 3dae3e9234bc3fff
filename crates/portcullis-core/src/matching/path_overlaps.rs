//! The greatest number among the paths that have requests in common with a given one, without comparing each.

use std::borrow::Cow;

use super::prefix_tree::PrefixTree;
use super::{Path, PathType};

/// Paths, each with a number.
#[derive(Debug)]
pub struct PathOverlaps {
    /// Those whose class decides, which are treated as prefixes of the text.
    specific: Greatest,
    /// The text of the prefixes.
    prefix_texts: Greatest,
    /// The elements of the prefixes.
    prefixes: Greatest,
    /// The text of the exact paths.
    exact_texts: Greatest,
    /// The elements of the exact paths.
    exact: Greatest,
}

impl PathOverlaps {
    /// The paths with their numbers.
    pub fn new<'p>(paths: impl IntoIterator<Item = (&'p Path<'p>, i64)>) -> Self {
        let (mut specific, mut prefix_texts, mut prefixes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut exact_texts, mut exact) = (Vec::new(), Vec::new());
        for (path, number) in paths {
            let text = || (path.text.clone().into_owned(), number);
            let elements = || (elements(path).into_owned(), number);
            match path.kind {
                PathType::ImplementationSpecific => specific.push(text()),
                PathType::Prefix => {
                    prefix_texts.push(text());
                    prefixes.push(elements());
                }
                PathType::Exact => {
                    exact_texts.push(text());
                    exact.push(elements());
                }
            }
        }
        let [specific, prefix_texts, prefixes, exact_texts, exact] =
            [specific, prefix_texts, prefixes, exact_texts, exact].map(Greatest::new);
        Self { specific, prefix_texts, prefixes, exact_texts, exact }
    }

    /// The greatest number of a path that [overlaps](Path::overlaps) this one; `None` if none does.
    pub fn greatest(&self, path: &Path<'_>) -> Option<i64> {
        let by_text = match path.kind {
            PathType::Exact => self.specific.above(&path.text),
            PathType::ImplementationSpecific | PathType::Prefix => self.specific.related(&path.text),
        };
        let others = match path.kind {
            PathType::ImplementationSpecific => {
                self.prefix_texts.related(&path.text).max(self.exact_texts.below(&path.text))
            }
            PathType::Prefix => self.prefixes.related(&elements(path)).max(self.exact.below(&elements(path))),
            PathType::Exact => self.prefixes.above(&elements(path)).max(self.exact.of(&elements(path))),
        };
        by_text.max(others)
    }

    /// The greatest number of a path that matches every request of this one; `None` if none does.
    pub fn greatest_covering(&self, path: &Path<'_>) -> Option<i64> {
        let by_elements = match path.kind {
            PathType::ImplementationSpecific => self.prefixes.above(&path.text),
            PathType::Prefix => self.prefixes.above(&elements(path)),
            PathType::Exact => self.prefixes.above(&elements(path)).max(self.exact.of(&elements(path))),
        };
        self.specific.above(&path.text).max(by_elements)
    }
}

/// The text of a path with a slash at its end, so that one path covers another exactly if it begins it. The prefix `/`
/// already has one.
fn elements<'p>(path: &'p Path<'_>) -> Cow<'p, str> {
    match (path.kind, &*path.text) {
        (PathType::Prefix, "/") => Cow::Borrowed("/"),
        (_, text) => Cow::Owned(format!("{text}/")),
    }
}

/// Texts, each with a number, of which the greatest counts.
#[derive(Debug)]
struct Greatest {
    tree: PrefixTree<String>,
    /// The number of each text.
    own: Vec<Option<i64>>,
    /// The greatest number of each text and of those with which it begins.
    above: Vec<Option<i64>>,
    /// A segment tree over `own`: its last half is `own`, and each other entry is the greatest of the two below it.
    segments: Vec<Option<i64>>,
}

impl Greatest {
    fn new(all: Vec<(String, i64)>) -> Self {
        let tree = PrefixTree::new(all.iter().map(|(text, _)| text.clone()));
        let mut own = vec![None; tree.len()];
        for (text, number) in all {
            let Some(position) = tree.position(&text) else { continue };
            own[position] = own[position].max(Some(number));
        }
        let mut above = own.clone();
        for position in 0..above.len() {
            above[position] = above[position].max(tree.parent(position).and_then(|parent| above[parent]));
        }
        let mut segments = vec![None; tree.len()];
        segments.extend(&own);
        for position in (1..tree.len()).rev() {
            segments[position] = segments[2 * position].max(segments[2 * position + 1]);
        }
        Self { tree, own, above, segments }
    }

    fn of(&self, text: &str) -> Option<i64> {
        self.own[self.tree.position(text)?]
    }

    /// The greatest number of the texts with which `text` begins.
    fn above(&self, text: &str) -> Option<i64> {
        self.above[self.tree.deepest(text)?]
    }

    /// The greatest number of the texts that begin with `text`.
    fn below(&self, text: &str) -> Option<i64> {
        let range = self.tree.below(text);
        let (mut first, mut end) = (range.start + self.tree.len(), range.end + self.tree.len());
        let mut greatest = None;
        while first < end {
            if first % 2 == 1 {
                greatest = greatest.max(self.segments[first]);
                first += 1;
            }
            if end % 2 == 1 {
                end -= 1;
                greatest = greatest.max(self.segments[end]);
            }
            (first, end) = (first / 2, end / 2);
        }
        greatest
    }

    fn related(&self, text: &str) -> Option<i64> {
        self.above(text).max(self.below(text))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn paths() -> impl Strategy<Value = (PathType, String)> {
        let kind = prop::sample::select(vec![PathType::ImplementationSpecific, PathType::Prefix, PathType::Exact]);
        (kind, "/?[ab/]{0,6}")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn the_greatest_of_those_that_overlap_is_found(
            own in prop::collection::vec((paths(), -3i64..4), 0..12),
            (kind, text) in paths(),
        ) {
            let own: Vec<_> = own.iter().map(|((kind, text), number)| (Path::new(*kind, Some(text)), *number)).collect();
            let overlaps = PathOverlaps::new(own.iter().map(|(path, number)| (path, *number)));
            let path = Path::new(kind, Some(&text));
            let expected = own.iter().filter(|(own, _)| own.overlaps(&path)).map(|(_, number)| *number).max();
            prop_assert_eq!(overlaps.greatest(&path), expected, "{:?} {:?}", own, path);
        }

        #[test]
        fn a_path_that_covers_another_one_overlaps_all_that_it_overlaps(
            (own_kind, own_text) in paths(), (kind, text) in paths(), tail in "[ab/]{0,4}",
        ) {
            let own = Path::new(own_kind, Some(&own_text));
            let overlaps = PathOverlaps::new([(&own, 1)]);
            let path = Path::new(kind, Some(&text));
            let request = format!("{}{tail}", path.text);
            let request = Path::new(PathType::Exact, Some(&request));
            if overlaps.greatest_covering(&path).is_some() && request.overlaps(&path) {
                prop_assert!(own.overlaps(&path) && own.overlaps(&request), "{own:?} {path:?} {request:?}");
            }
        }
    }
}
