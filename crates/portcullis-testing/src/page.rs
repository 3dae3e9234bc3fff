//! Reads a page: its title and its fenced blocks, in order.

/// A fenced block: the words after the fence, and what stands in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The words after the fence.
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

/// One example of a page: what is reviewed, and what is to be found.
#[derive(Debug, Default, Clone)]
pub struct Example {
    /// `yaml`, or `yaml delete`: the object under review first, the rest of the cluster after it.
    pub yaml: String,
    /// Whether the object is deleted.
    pub delete: bool,
    /// `yaml old`: the object before the update.
    pub old: Option<String>,
    /// `yaml config`: what the configuration adds to its first two lines.
    pub config: Option<String>,
    /// `findings`: what is found, a line each; nothing is found without the block.
    pub findings: Option<String>,
}

/// The examples of a page. A `yaml config` or `yaml old` block belongs to the example that follows it, a `findings` block to the one before.
pub fn examples(page: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let (mut config, mut old) = (None, None);
    for block in blocks(page) {
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
