//! The schemas of kinds that are not defined here, as tables of fields. Two tests generate them, and write the files instead of comparing
//! them if they are asked to: the trial `crd_fields` from the CRDs in the Go modules of other projects (`PORTCULLIS_WRITE_FIELDS=1`), and
//! `built_in_fields_are_those_of_the_api` from the types of the API (`just docs`).

use std::collections::BTreeMap;
use std::iter::Peekable;

use super::node::{SchemaLimits, SchemaNode, Shape};
use crate::kinds::Kind;

/// Every field of these kinds, one per line, indented below the object that contains it. The syntax is described at the
/// top of the first file.
const TABLES: [&str; 2] = [include_str!("crds.txt"), include_str!("built_in.txt")];

/// The schema of `kind`, if a table has it.
pub(super) fn of_kind(kind: Kind) -> Option<SchemaNode> {
    of_type(kind.api().kind)
}

/// The schema of the metadata of every object.
pub(super) fn of_metadata() -> Option<SchemaNode> {
    of_type("ObjectMeta")
}

fn of_type(name: &str) -> Option<SchemaNode> {
    let lines = TABLES.into_iter().flat_map(str::lines).filter(|line| !line.starts_with('#'));
    let mut lines = lines.map(depth).peekable();
    lines.find(|line| *line == (0, name))?;
    Some(SchemaNode::new(Shape::Object(fields(&mut lines, 1))))
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
