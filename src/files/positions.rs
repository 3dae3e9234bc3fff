//! The positions of the fields of one document, from the events of the YAML parser. JSON is read as YAML.

use std::borrow::Cow;

use granit_parser::{Event, Parser, StrInput};

use portcullis_core::field::Segment;

/// A value of a document, with the byte offsets of everything in it.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// Where the value begins.
    offset: usize,
    children: Children,
}

#[derive(Debug, Default)]
enum Children {
    #[default]
    None,
    /// The fields of a mapping: key, offset of the key, value.
    Fields(Vec<(String, usize, Node)>),
    /// The elements of a sequence.
    Elements(Vec<Node>),
}

impl Node {
    /// The content of a document. A document that the parser does not read to the end has the positions up to there.
    pub(super) fn of(text: &str) -> Self {
        let is_json = text.trim_start().starts_with(['{', '[']);
        // JSON has tabs between values only, where YAML does not always allow them.
        let text = if is_json { Cow::Owned(text.replace('\t', " ")) } else { Cow::Borrowed(text) };
        let mut events = Events { parser: Parser::new_from_str(&text), is_over: false };
        events.next().map(|(event, offset)| events.node(&event, offset)).unwrap_or_default()
    }

    /// The offset of the field or the element at `path`, or of the nearest one above it that exists. An alias has no
    /// fields, and a merged key is not a field of the mapping that it is merged into.
    pub(super) fn find<'p>(&self, path: impl IntoIterator<Item = &'p Segment>) -> usize {
        let (mut offset, mut node) = (self.offset, self);
        for segment in path {
            let Some((found, child)) = node.child(segment) else { break };
            (offset, node) = (found, child);
        }
        offset
    }

    fn child(&self, segment: &Segment) -> Option<(usize, &Self)> {
        match (&self.children, segment) {
            (Children::Elements(elements), Segment::Index(index)) => {
                elements.get(*index).map(|element| (element.offset, element))
            }
            (Children::Fields(fields), Segment::Field(_) | Segment::Key(_)) => {
                let name = match segment {
                    Segment::Field(name) => name,
                    Segment::Key(name) => name.as_str(),
                    Segment::Index(_) => return None,
                };
                // Of a repeated key, the last value counts.
                let found = fields.iter().rev().find(|(key, ..)| key == name);
                found.map(|(_, offset, value)| (*offset, value))
            }
            _ => None,
        }
    }
}

/// The events of the parser that are content.
struct Events<'t> {
    parser: Parser<'t, StrInput<'t>>,
    /// Whether the parser failed.
    is_over: bool,
}

impl<'t> Events<'t> {
    /// The next event of content, with its offset. Nothing after an error.
    fn next(&mut self) -> Option<(Event<'t>, usize)> {
        while !self.is_over {
            match self.parser.next_event() {
                Some(Ok((event, span))) => match event {
                    Event::MappingStart(..)
                    | Event::MappingEnd
                    | Event::SequenceStart(..)
                    | Event::SequenceEnd
                    | Event::Scalar(..)
                    | Event::Alias(..) => return Some((event, span.start.byte_offset().unwrap_or_default())),
                    _ => {}
                },
                Some(Err(_)) | None => self.is_over = true,
            }
        }
        None
    }

    /// The value that begins with `event`. The reader of the file limits the depth.
    fn node(&mut self, event: &Event<'t>, offset: usize) -> Node {
        let children = match event {
            Event::MappingStart(..) => Children::Fields(self.fields()),
            Event::SequenceStart(..) => Children::Elements(self.elements()),
            _ => Children::None,
        };
        Node { offset, children }
    }

    fn fields(&mut self) -> Vec<(String, usize, Node)> {
        let mut fields = Vec::new();
        while let Some((key, offset)) = self.next().filter(|(event, _)| !matches!(event, Event::MappingEnd)) {
            let name = match &key {
                Event::Scalar(text, ..) => text.clone().into_owned(),
                other => {
                    self.node(other, offset);
                    String::new()
                }
            };
            let Some((value, start)) = self.next() else { break };
            fields.push((name, offset, self.node(&value, start)));
        }
        fields
    }

    fn elements(&mut self) -> Vec<Node> {
        let mut elements = Vec::new();
        while let Some((event, offset)) = self.next().filter(|(event, _)| !matches!(event, Event::SequenceEnd)) {
            elements.push(self.node(&event, offset));
        }
        elements
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text from the position of each address on, up to the end of its line.
    fn at(text: &str, path: &[Segment]) -> String {
        let offset = Node::of(text).find(path);
        text[offset..].lines().next().unwrap_or_default().to_owned()
    }

    fn path(text: &str) -> Vec<Segment> {
        let segment = |part: &str| match part.parse() {
            Ok(index) => Segment::Index(index),
            Err(_) => Segment::Field(part.to_owned().into()),
        };
        text.split_whitespace().map(segment).collect()
    }

    #[test]
    fn a_field_is_at_its_key_and_an_absent_one_at_the_nearest_above() {
        let yaml = "---\n# ü\nmetadata: {name: a}\nspec:\n  rules:\n  - host: x\n  -\n    host: y\n    http: &p {paths: []}\n  - *p\n";
        let cases = [
            ("metadata name", "name: a}"),
            ("spec", "spec:"),
            ("spec rules", "rules:"),
            ("spec rules 0", "host: x"),
            ("spec rules 1 host", "host: y"),
            ("spec rules 1 http paths 4 path", "paths: []}"),
            ("spec rules 2 host", "*p"),
            ("spec rules 9 host", "rules:"),
            ("spec tls", "spec:"),
            ("status", "metadata: {name: a}"),
        ];
        for (address, expected) in cases {
            assert_eq!(at(yaml, &path(address)), expected, "{address}");
        }
    }

    #[test]
    fn json_with_tabs_and_escapes_is_located() {
        let json = "{\n\t\"a\":\t{\"b\": \"\\/\\u00e9\", \"b\": 2},\n\t\"c\": [1,\n\t{\"d\": null}]}";
        for (address, expected) in
            [("a b", "\"b\": 2},"), ("c 1 d", "\"d\": null}]}"), ("c 0", "1,"), ("c 7", "\"c\": [1,")]
        {
            assert_eq!(at(json, &path(address)), expected, "{address}");
        }
    }

    #[test]
    fn text_before_an_error_is_located() {
        let text = "metadata:\n  name: a\n  annotations:\n    x: '[\n  ]'\n    y: z\n";
        assert_eq!(at(text, &path("metadata name")), "name: a");
        assert_eq!(at(text, &path("metadata annotations y")), "annotations:");
    }
}
