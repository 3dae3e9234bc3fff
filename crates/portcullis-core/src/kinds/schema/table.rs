//! The schemas of the kinds that other projects' CRDs define, as a table of fields. The trial `crd_fields` generates it from the CRDs in
//! the Go modules of these projects; with `PORTCULLIS_WRITE_FIELDS=1` it writes the file, otherwise it compares.

use std::collections::BTreeMap;
use std::iter::Peekable;

use super::node::{SchemaLimits, SchemaNode, Shape};
use crate::kinds::Kind;

/// Every field of these kinds, one per line, indented below the object that contains it. The syntax is described at the
/// top of the file. A test compares the table with the CRDs.
const TABLE: &str = include_str!("crds.txt");

/// The schema of `kind`, if the table has it.
pub(super) fn of_kind(kind: Kind) -> Option<SchemaNode> {
    let mut lines = TABLE.lines().filter(|line| !line.starts_with('#')).map(depth).peekable();
    lines.find(|(depth, name)| *depth == 0 && *name == kind.api().kind)?;
    Some(SchemaNode::new(Shape::Object(fields(&mut lines, 1))).with_metadata())
}

/// The indentation of a line, and the rest of it.
fn depth(line: &str) -> (usize, &str) {
    let rest = line.trim_start();
    (line.len() - rest.len(), rest)
}

/// Parses the fields of the following lines that have this indentation.
fn fields<'t>(
    lines: &mut Peekable<impl Iterator<Item = (usize, &'t str)>>,
    depth: usize,
) -> BTreeMap<String, SchemaNode> {
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
        let (name, node) = wrapped(head, SchemaNode { required: false, shape, limits });
        all.insert(name.to_owned(), node);
    }
    all
}

/// The name before the marks `[]`, `{}`, `+` and `!`, and the lists and maps that they make around `element`.
fn wrapped(head: &str, mut element: SchemaNode) -> (&str, SchemaNode) {
    let mut name = head.trim_end_matches('!');
    let required = name.len() < head.len();
    loop {
        let filled = name.strip_suffix('+');
        let before = filled.unwrap_or(name);
        if let Some(list) = before.strip_suffix("[]") {
            let limits = SchemaLimits { least: filled.map(|_| 1), ..SchemaLimits::default() };
            element = SchemaNode { limits, ..SchemaNode::new(Shape::List(Box::new(element))) };
            name = list;
        } else if let Some(map) = before.strip_suffix("{}") {
            element = SchemaNode::new(Shape::Map(Box::new(element)));
            name = map;
        } else {
            element.required = required;
            return (name, element);
        }
    }
}

/// The limits in a word such as `1..65535`, `1..` or `=Peer|Remote`.
fn limits(word: &str) -> SchemaLimits {
    match (word.strip_prefix('='), word.split_once("..")) {
        (Some(allowed), _) => {
            SchemaLimits { allowed: allowed.split('|').map(str::to_owned).collect(), ..SchemaLimits::default() }
        }
        (None, Some((least, most))) => {
            SchemaLimits { least: least.parse().ok(), most: most.parse().ok(), ..SchemaLimits::default() }
        }
        (None, None) => SchemaLimits::default(),
    }
}
