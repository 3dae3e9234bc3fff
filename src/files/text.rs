//! Parses the documents of a text separately, each as JSON if it is JSON and otherwise as YAML, like kubectl.

use serde_saphyr::options::DuplicateKeyPolicy;
use serde_saphyr::{Budget, Options};

use super::chunks::{Chunk, chunks};
use super::document::Document;

/// The result of parsing one document.
#[derive(Debug)]
pub(super) struct ParsedDocument<'t> {
    /// The line on which the document begins, counted from 1.
    pub line: usize,
    /// The text of the document.
    pub text: &'t str,
    /// The parsed document, or an error message with line and column.
    pub document: Result<Document, String>,
    /// Whether a quoted scalar had to be indented before the document could be parsed.
    pub was_indented: bool,
}

/// The error message of the YAML parser about an unindented line in a quoted scalar, which kubectl accepts.
const NOT_INDENTED: &str = "invalid indentation in multiline quoted scalar";
/// The maximum number of bytes to parse for one document while its unindented lines are indented one by one.
const MAX_INDENTED_BYTES: usize = 16 << 20;

/// Passes the documents of `text` to `take` one at a time, so that only one is in memory.
pub(super) fn documents<'t>(text: &'t str, take: &mut dyn FnMut(ParsedDocument<'t>)) {
    for chunk in chunks(text) {
        if chunk.text.trim_start().starts_with(['{', '[']) {
            stream(chunk, take);
        } else {
            take(yaml(chunk));
        }
    }
}

/// Passes the JSON values of a chunk to `take`. JSON is tried before YAML, since the YAML parser is slower by an order
/// of magnitude.
fn stream<'t>(chunk: Chunk<'t>, take: &mut dyn FnMut(ParsedDocument<'t>)) {
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
            let line = lines_before + lines(&text[..blank]) + 1;
            take(ParsedDocument { line, text, document: Ok(document), was_indented: false });
            (end, lines_before) = (values.byte_offset(), lines_before + lines(text));
        };
        if from + end == 0 {
            // A YAML flow mapping begins like JSON.
            let read = yaml(chunk);
            if read.document.is_ok() {
                return take(read);
            }
        }
        // Continue at the next line that begins with `{`, so that one invalid value does not hide the following ones.
        let next = rest[end + 1..].find("\n{").map_or(rest.len(), |next| end + 1 + next + 1);
        let text = &rest[end..next];
        let message = of_json(&error, lines_before - lines(&rest[..end]));
        take(ParsedDocument { line: lines_before + 1, text, document: Err(message), was_indented: false });
        (from, lines_before) = (from + next, lines_before + lines(text));
    }
}

/// The error message of the JSON parser, with its line shifted by `lines_before`.
fn of_json(error: &serde_json::Error, lines_before: usize) -> String {
    let words = error.to_string();
    let words = words.rsplit_once(" at line ").map_or(words.as_str(), |(words, _)| words);
    format!("line {}, column {}: {words}", lines_before + error.line(), error.column())
}

fn lines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

/// Parses one YAML document.
fn yaml(chunk: Chunk<'_>) -> ParsedDocument<'_> {
    let mut indented: Option<String> = None;
    let (mut spent, mut last) = (0, 0);
    loop {
        let text = indented.as_deref().unwrap_or(chunk.text);
        let error = match serde_saphyr::from_str_with_options(text, options(text.len())) {
            Ok(document) => break outcome(chunk, Ok(document), indented.is_some()),
            Err(error) => error,
        };
        let object_ref = error.location().map(|object_ref| (object_ref.line() as usize, object_ref.column()));
        let words = error.without_snippet().to_string();
        let words = words.rsplit_once(" at line ").map_or(words.as_str(), |(words, _)| words);
        spent += text.len();
        match object_ref {
            Some((line, _)) if words == NOT_INDENTED && line > last && spent <= MAX_INDENTED_BYTES => {
                indented = Some(indent(text, line));
                last = line;
            }
            Some((line, column)) => {
                let line = chunk.lines_before + line;
                break outcome(chunk, Err(format!("line {line}, column {column}: {words}")), false);
            }
            None => break outcome(chunk, Err(words.to_owned()), false),
        }
    }
}

fn outcome(chunk: Chunk<'_>, document: Result<Document, String>, was_indented: bool) -> ParsedDocument<'_> {
    let begin = chunk.text.lines().position(|line| !line.starts_with("---")).unwrap_or_default();
    ParsedDocument { line: chunk.lines_before + begin + 1, text: chunk.text, document, was_indented }
}

/// Indents one line of the text, counted from 1, further than any other line. Leading white space of a line has no
/// meaning in a quoted scalar.
fn indent(text: &str, line: usize) -> String {
    let depth = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let width = text.lines().map(depth).max().unwrap_or_default() + 1;
    let lines = text.split_inclusive('\n').enumerate();
    let padded = lines
        .map(|(before, words)| if before + 1 == line { format!("{:width$}{words}", "") } else { words.to_owned() });
    padded.collect()
}

/// The parser options that match kubectl: the last value of a repeated key counts. The limits grow with the size of the
/// document, but an alias that multiplies its anchor stays bounded.
fn options(size: usize) -> Options {
    let least = Budget::default();
    serde_saphyr::options! {
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        legacy_octal_numbers: true,
        with_snippet: false,
        budget: serde_saphyr::budget! {
            max_nodes: least.max_nodes.max(size),
            max_events: least.max_events.max(size.saturating_mul(2)),
            max_total_scalar_bytes: least.max_total_scalar_bytes.max(size),
            max_aliases: least.max_aliases.max(size),
            max_anchors: least.max_anchors.max(size),
            max_merge_keys: least.max_merge_keys.max(size),
            max_depth: MAX_DEPTH,
            enforce_alias_anchor_ratio: false,
        },
    }
}

/// The maximum nesting depth of a document; the JSON parser has the same limit.
const MAX_DEPTH: usize = 127;
