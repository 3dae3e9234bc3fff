//! Parses a page of a check: its fenced blocks, in order.

use regex::{Captures, Regex};

/// A fenced block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The words after the opening fence.
    pub words: String,
    /// The lines between the fences.
    pub text: String,
}

/// The blocks of a page.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(words)) => open = Some(Block { words: words.trim().to_owned(), text: String::new() }),
            (Some(_), Some("")) => blocks.extend(open.take()),
            (Some(block), _) => block.text.extend([line, "\n"]),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fenced block is not closed");
    blocks
}

/// The anchor of a heading, such as `look-at-a-replica` for `Look at a replica`.
pub fn anchor(heading: &str) -> String {
    let kept = |character: char| match character {
        ' ' => Some('-'),
        _ if character.is_alphanumeric() || "-_".contains(character) => Some(character),
        _ => None,
    };
    heading.to_lowercase().chars().filter_map(kept).collect()
}

/// One example of a page: the reviewed object and the expected findings.
#[derive(Debug, Default, Clone)]
pub struct Example {
    /// From `yaml` or `yaml delete`: the object under review, followed by the other objects of the cluster.
    pub yaml: String,
    /// Whether the review is of a deletion.
    pub delete: bool,
    /// From `yaml old`: the object before the update.
    pub old: Option<String>,
    /// From `yaml config`: the configuration without its first two lines.
    pub config: Option<String>,
    /// From `findings`: the expected findings, one per line. Without the block, none is expected.
    pub findings: Option<String>,
}

/// The examples of a page, with repeats written out. A `yaml old` block applies to the next example, a `yaml config` block to all following
/// examples, and a `findings` block to the previous example.
pub fn examples(page: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let (mut config, mut old) = (None, None);
    for block in blocks(page) {
        let block = Block { text: with_repeats(&block.text), ..block };
        match block.words.as_str() {
            "yaml config" => config = Some(block.text),
            "yaml old" => old = Some(block.text),
            "yaml" | "yaml delete" => {
                let delete = block.words == "yaml delete";
                let old = old.take();
                examples.push(Example { yaml: block.text, delete, old, config: config.clone(), findings: None });
            }
            "findings" => {
                let example = examples.last_mut().expect("a findings block follows the yaml that it is about");
                example.findings = Some(block.text);
            }
            other => panic!("a page knows no block `{other}`"),
        }
    }
    examples
}

/// `text` with each `<piece * count>` replaced by that many pieces: `<a * 3>` is `aaa`.
fn with_repeats(text: &str) -> String {
    let repeat = Regex::new(r"<([^<>\n]+) \* ([0-9]+)>").expect("the pattern is valid");
    let piece = |found: &Captures<'_>| found[1].repeat(found[2].parse().expect("the count is a number"));
    repeat.replace_all(text, piece).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_written_out() {
        assert_eq!(with_repeats("name: <a * 3>.<b, * 2> c"), "name: aaa.b,b, c");
        assert_eq!(with_repeats("match: a < b * 2 > c"), "match: a < b * 2 > c");
    }
}
