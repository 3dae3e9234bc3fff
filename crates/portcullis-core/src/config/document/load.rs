//! Reads a YAML text into nodes.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_saphyr::granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Span, StrInput};

use super::{Node, NodeValue, merge};
use crate::config::ConfigError;
use crate::config::position::Position;

/// What to do about an alias of an unknown anchor, which most often is a wildcard without quotes, such as `*.example.com`.
pub const QUOTE_ALIAS: &str = "; quote a value that begins with `*`";

/// The largest depth of a document. The grammar of the configuration needs less than ten levels.
const MAX_DEPTH: usize = 64;

/// The largest number of nodes, which aliases could multiply.
const MAX_NODES: usize = 1_000_000;

/// Reads the files of one configuration.
#[derive(Debug, Default)]
pub(in crate::config) struct Loader {
    nodes: usize,
}

/// Reads one document.
struct Reading<'l, 't> {
    loader: &'l mut Loader,
    parser: Parser<'t, StrInput<'t>>,
    file: Option<Arc<str>>,
    anchors: BTreeMap<usize, Node>,
    errors: Vec<ConfigError>,
}

impl Loader {
    /// Reads the document in `text`, with the faults that do not prevent that. The error is a fault that does.
    pub(in crate::config) fn load(
        &mut self,
        file: Option<&Arc<str>>,
        text: &str,
    ) -> Result<(Node, Vec<ConfigError>), ConfigError> {
        let parser = Parser::new_from_str(text);
        let mut reading =
            Reading { loader: self, parser, file: file.cloned(), anchors: BTreeMap::new(), errors: Vec::new() };
        let root = loop {
            match reading.next()? {
                (Event::StreamStart | Event::DocumentStart(..), _) => {}
                (Event::StreamEnd | Event::DocumentEnd, span) => {
                    return Err(ConfigError::new("the file is empty", reading.at(span.start.line(), span.start.col())));
                }
                (event, span) => break reading.node(event, span, 0)?,
            }
        };
        loop {
            match reading.next()? {
                (Event::StreamEnd, _) => return Ok((root, reading.errors)),
                (Event::DocumentStart(..), span) => {
                    let message = "a configuration is one document; write a second one to another file";
                    return Err(ConfigError::new(message, reading.at(span.start.line(), span.start.col())));
                }
                _ => {}
            }
        }
    }
}

impl<'t> Reading<'_, 't> {
    /// The next event that is not a comment.
    fn next(&mut self) -> Result<(Event<'t>, Span), ConfigError> {
        loop {
            let Some(event) = self.parser.next_event() else {
                return Err(ConfigError::new("unexpected end of input", self.at(1, 0)));
            };
            let event = event.map_err(|error| self.syntax_error(&error))?;
            let is_structure = matches!(
                event.0,
                Event::StreamStart
                    | Event::StreamEnd
                    | Event::DocumentStart(..)
                    | Event::DocumentEnd
                    | Event::SequenceEnd
                    | Event::MappingEnd
            );
            if is_structure || event.0.is_node() {
                return Ok(event);
            }
        }
    }

    fn syntax_error(&self, error: &ScanError) -> ConfigError {
        let is_alias = *error.kind() == ErrorKind::UnknownAnchor;
        let advice = if is_alias { QUOTE_ALIAS } else { "" };
        let message = format!("{}{advice}", error.info());
        ConfigError::new(message, self.at(error.marker().line(), error.marker().col()))
    }

    fn at(&self, line: usize, column: usize) -> Position {
        Position { file: self.file.clone(), line: line as u64, column: column as u64 + 1 }
    }

    fn node(&mut self, event: Event<'t>, span: Span, depth: usize) -> Result<Node, ConfigError> {
        let at = self.at(span.start.line(), span.start.col());
        if depth > MAX_DEPTH {
            return Err(ConfigError::new("maps and lists are nested too deeply", at));
        }
        let (value, anchor) = match event {
            Event::Scalar(text, style, anchor, _) => {
                (NodeValue::Scalar { text: text.into_owned(), is_plain: style == ScalarStyle::Plain }, anchor)
            }
            Event::SequenceStart(_, anchor, _) => (self.list(depth)?, anchor),
            Event::MappingStart(_, anchor, _) => (self.map(depth)?, anchor),
            Event::Alias(anchor) => match self.anchors.get(&anchor) {
                Some(target) => {
                    let target = target.clone();
                    self.loader.count(target.size(), &at)?;
                    return Ok(target);
                }
                None => return Err(ConfigError::new("an alias must not refer to a value that contains it", at)),
            },
            _ => return Err(ConfigError::new("unexpected end of a document", at)),
        };
        let node = Node { id: self.loader.count(1, &at)?, at, value };
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn list(&mut self, depth: usize) -> Result<NodeValue, ConfigError> {
        let mut list = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(NodeValue::List(list)),
                (event, span) => list.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<NodeValue, ConfigError> {
        let mut entries: Vec<(Node, Node)> = Vec::new();
        let mut keys = std::collections::BTreeSet::new();
        loop {
            let key = match self.next()? {
                (Event::MappingEnd, _) => return Ok(NodeValue::Map { entries, removed: Vec::new() }),
                (event, span) => self.node(event, span, depth + 1)?,
            };
            let (event, span) = self.next()?;
            let value = self.node(event, span, depth + 1)?;
            match key.text().map(str::to_owned) {
                None => self.errors.push(ConfigError::new("a key must be a word, not a list or a map", key.at)),
                Some(text) if keys.contains(&text) => {
                    self.errors.push(ConfigError::new(format!("duplicate key `{text}`"), key.at));
                    // What is written under it is read all the same, for the faults in it.
                    if let Some((_, first)) = entries.iter_mut().find(|(own, _)| own.text() == Some(&text)) {
                        merge(first, value, &text, &mut Vec::new());
                    }
                }
                Some(text) => {
                    keys.insert(text);
                    entries.push((key, value));
                }
            }
        }
    }
}

impl Loader {
    /// Counts nodes. Returns the id of the last one.
    fn count(&mut self, nodes: usize, at: &Position) -> Result<usize, ConfigError> {
        self.nodes += nodes;
        if self.nodes > MAX_NODES {
            return Err(ConfigError::new("the configuration is too large", at.clone()));
        }
        Ok(self.nodes)
    }
}

impl Node {
    /// The number of nodes of the tree.
    fn size(&self) -> usize {
        1 + match &self.value {
            NodeValue::Scalar { .. } => 0,
            NodeValue::List(list) => list.iter().map(Self::size).sum(),
            NodeValue::Map { entries, .. } => entries.iter().map(|(key, value)| key.size() + value.size()).sum(),
        }
    }
}
