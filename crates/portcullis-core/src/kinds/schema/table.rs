//! The schemas of the kinds that come with other projects' CRDs, as a table of fields.

use std::collections::BTreeMap;
use std::iter::Peekable;

use super::node::{Limits, Node, Shape};
use crate::kinds::Kind;

/// Every field of those kinds, one a line below the object that has it; what the words mean is said at the top. A test holds the table
/// against the CRDs.
const TABLE: &str = include_str!("crds.txt");

/// The schema of `kind`, if the table has it.
pub(super) fn of_kind(kind: Kind) -> Option<Node> {
    let mut lines = TABLE.lines().filter(|line| !line.starts_with('#')).map(depth).peekable();
    lines.find(|(depth, name)| *depth == 0 && *name == kind.api().kind)?;
    Some(Node::new(Shape::Object(fields(&mut lines, 1))).with_metadata())
}

/// How far a line is indented, and the rest of it.
fn depth(line: &str) -> (usize, &str) {
    let rest = line.trim_start();
    (line.len() - rest.len(), rest)
}

/// The fields of the lines from here on that are indented so far.
fn fields<'t>(lines: &mut Peekable<impl Iterator<Item = (usize, &'t str)>>, depth: usize) -> BTreeMap<String, Node> {
    let mut all = BTreeMap::new();
    while let Some((_, line)) = lines.next_if(|(own, _)| *own == depth) {
        let mut words = line.split(' ');
        let (head, shape) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let shape = match shape {
            "object" => Shape::Object(fields(lines, depth + 1)),
            "text" => Shape::Text,
            "whole" => Shape::Whole,
            "number" => Shape::Number,
            "flag" => Shape::Flag,
            _ => Shape::Any,
        };
        let limits = words.next().map(limits).unwrap_or_default();
        let (name, node) = wrapped(head, Node { required: false, shape, limits });
        all.insert(name.to_owned(), node);
    }
    all
}

/// The name in front of the marks `[]`, `{}`, `+` and `!`, and the lists and maps that they make around `element`.
fn wrapped(head: &str, mut element: Node) -> (&str, Node) {
    let mut name = head.trim_end_matches('!');
    let required = name.len() < head.len();
    loop {
        let filled = name.strip_suffix('+');
        let before = filled.unwrap_or(name);
        if let Some(list) = before.strip_suffix("[]") {
            let limits = Limits { least: filled.map(|_| 1), ..Limits::default() };
            element = Node { limits, ..Node::new(Shape::List(Box::new(element))) };
            name = list;
        } else if let Some(map) = before.strip_suffix("{}") {
            element = Node::new(Shape::Map(Box::new(element)));
            name = map;
        } else {
            element.required = required;
            return (name, element);
        }
    }
}

/// The limits that a word such as `1..65535`, `1..` or `=Peer|Remote` says.
fn limits(word: &str) -> Limits {
    match (word.strip_prefix('='), word.split_once("..")) {
        (Some(allowed), _) => Limits { allowed: allowed.split('|').map(str::to_owned).collect(), ..Limits::default() },
        (None, Some((least, most))) => {
            Limits { least: least.parse().ok(), most: most.parse().ok(), ..Limits::default() }
        }
        (None, None) => Limits::default(),
    }
}
