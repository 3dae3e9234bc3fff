//! Parses the documents of a text separately, each as JSON if it is JSON and otherwise as YAML, like kubectl.

use std::fmt;

use serde_saphyr::options::DuplicateKeyPolicy;
use serde_saphyr::{Budget, Options};

use super::chunks::{Chunk, chunks};
use super::document::Document;
use portcullis_core::config::QUOTE_ALIAS;
use portcullis_core::report::Position;

/// The result of parsing one document.
#[derive(Debug)]
pub(super) struct ParsedDocument<'t> {
    /// The line on which the document begins, counted from 1.
    pub line: usize,
    /// The text of the document.
    pub text: &'t str,
    /// The parsed document, or the error.
    pub document: Result<Document, ParseError>,
    /// Whether a quoted scalar had to be indented before the document could be parsed.
    pub was_indented: bool,
}

/// The error of a document that cannot be parsed.
#[derive(Debug)]
pub(super) struct ParseError {
    /// The position, if the parser reports one.
    pub position: Option<Position>,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Position { line, column }) = self.position {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// The error message of the YAML parser about an unindented line in a quoted scalar, which kubectl accepts.
const NOT_INDENTED: &str = "invalid indentation in multiline quoted scalar";
/// The error message of the YAML parser about an alias such as `*.example.com`.
const UNKNOWN_ANCHOR: &str = "alias references unknown anchor";
/// The maximum number of bytes to parse for one document while its unindented lines are indented one by one.
const MAX_INDENTED_BYTES: usize = 16 << 20;

/// Passes the documents of `text` to `visit` one at a time, so that only one is in memory.
pub(super) fn documents<'t>(text: &'t str, visit: &mut dyn FnMut(ParsedDocument<'t>)) {
    for chunk in chunks(text) {
        if chunk.text.trim_start().starts_with(['{', '[']) {
            parse_json(chunk, visit);
        } else {
            visit(parse_yaml(chunk));
        }
    }
}

/// Passes the JSON values of a chunk to `visit`. JSON is tried before YAML, since the YAML parser is slower by an order
/// of magnitude.
fn parse_json<'t>(chunk: Chunk<'t>, visit: &mut dyn FnMut(ParsedDocument<'t>)) {
    let (mut from, mut lines_before) = (0, chunk.lines_before);
    while !chunk.text[from..].trim().is_empty() {
        let rest = &chunk.text[from..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Document>();
        let mut end = 0;
        let error = loop {
            let Some(value) = values.next() else { return };
            let document = match value {
                Ok(document) => document,
                Err(error) => break error,
            };
            let text = &rest[end..values.byte_offset()];
            let blank = text.len() - text.trim_start().len();
            let line = lines_before + count_lines(&text[..blank]) + 1;
            visit(ParsedDocument { line, text, document: Ok(document), was_indented: false });
            (end, lines_before) = (values.byte_offset(), lines_before + count_lines(text));
        };
        if from + end == 0 {
            // A YAML flow mapping begins like JSON.
            let parsed = parse_yaml(chunk);
            if parsed.document.is_ok() {
                return visit(parsed);
            }
        }
        // Continue at the next line that begins with `{`, so that one invalid value does not hide the following ones.
        let next = rest[end + 1..].find("\n{").map_or(rest.len(), |next| end + 1 + next + 1);
        let text = &rest[end..next];
        let error = json_error(&error, lines_before - count_lines(&rest[..end]));
        visit(ParsedDocument { line: lines_before + 1, text, document: Err(error), was_indented: false });
        (from, lines_before) = (from + next, lines_before + count_lines(text));
    }
}

/// The error of the JSON parser, with its line shifted by `lines_before`.
fn json_error(error: &serde_json::Error, lines_before: usize) -> ParseError {
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message).to_owned();
    let position = Some(Position { line: lines_before + error.line(), column: error.column() });
    ParseError { position, message }
}

fn count_lines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

/// Parses one YAML document. kubectl accepts unindented lines in a quoted scalar, so such lines are indented one by one
/// and the document is parsed again.
fn parse_yaml(chunk: Chunk<'_>) -> ParsedDocument<'_> {
    let mut indented: Option<String> = None;
    let (mut parsed_bytes, mut last_indented) = (0, 0);
    loop {
        let text = indented.as_deref().unwrap_or(chunk.text);
        let error = match serde_saphyr::from_str_with_options(text, options(text.len())) {
            Ok(document) => break parsed_document(chunk, Ok(document), indented.is_some()),
            Err(error) => error,
        };
        let location = error.location().map(|location| (location.line() as usize, location.column()));
        let message = error.without_snippet().to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        parsed_bytes += text.len();
        match location {
            Some((line, _))
                if message == NOT_INDENTED && line > last_indented && parsed_bytes <= MAX_INDENTED_BYTES =>
            {
                indented = Some(indent(text, line));
                last_indented = line;
            }
            location => {
                let position = location.map(|(line, column)| (chunk.lines_before + line, column));
                let position = position.map(|(line, column)| Position { line, column: column as usize });
                let advice = if message == UNKNOWN_ANCHOR { QUOTE_ALIAS } else { "" };
                let message = format!("{message}{advice}");
                break parsed_document(chunk, Err(ParseError { position, message }), false);
            }
        }
    }
}

fn parsed_document(chunk: Chunk<'_>, document: Result<Document, ParseError>, was_indented: bool) -> ParsedDocument<'_> {
    let first_line = chunk.text.lines().position(|line| !line.starts_with("---")).unwrap_or_default();
    ParsedDocument { line: chunk.lines_before + first_line + 1, text: chunk.text, document, was_indented }
}

/// Indents one line of the text, counted from 1, further than any other line. Leading white space of a line has no
/// meaning in a quoted scalar.
fn indent(text: &str, line: usize) -> String {
    let indentation = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let width = text.lines().map(indentation).max().unwrap_or_default() + 1;
    let lines = text.split_inclusive('\n').enumerate();
    let padded = lines
        .map(|(index, content)| if index + 1 == line { format!("{:width$}{content}", "") } else { content.to_owned() });
    padded.collect()
}

/// The parser options that match kubectl: the last value of a repeated key counts. The limits grow with the size of the
/// document, but an alias that multiplies its anchor stays bounded.
fn options(size: usize) -> Options {
    let defaults = Budget::default();
    serde_saphyr::options! {
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        legacy_octal_numbers: true,
        with_snippet: false,
        // Comments are not read, and the parser keeps only a few of them while it looks ahead.
        emit_comments: false,
        budget: serde_saphyr::budget! {
            max_nodes: defaults.max_nodes.max(size),
            max_events: defaults.max_events.max(size.saturating_mul(2)),
            max_total_scalar_bytes: defaults.max_total_scalar_bytes.max(size),
            max_aliases: defaults.max_aliases.max(size),
            max_anchors: defaults.max_anchors.max(size),
            max_merge_keys: defaults.max_merge_keys.max(size),
            max_depth: MAX_DEPTH,
            enforce_alias_anchor_ratio: false,
        },
    }
}

/// The maximum nesting depth of a document; the JSON parser has the same limit.
const MAX_DEPTH: usize = 127;
