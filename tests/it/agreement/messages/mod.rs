//! `docs/messages.md`: every message that a user can see, by check. Templates come from the sources, rendered messages from the pages.

mod source;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::LazyLock;

use portcullis_core::checks::registry;
use portcullis_core::report::catalog::Entry;
use regex::Regex;

use super::{read, repository};
use crate::golden;
use crate::page::blocks;
use source::Sources;

const FILE: &str = "docs/messages.md";

const HEAD: &str = "\
# The messages

Every message of a check as its template in the sources, where `{}` is a value of the object and `{other}` another object.
An indented line is the template as an example on the check's page shows it; a template without one is in no example. A
template may be listed under several checks that share code. `…` stands for a part that is written elsewhere: the part is
a template of its own. `just docs` writes this file.
";

const OTHERS: &str = "
## Texts of no single check

Texts in the sources that belong to no check: verdicts of `portcullis status`, reasons of `portcullis explain`, errors of
the configuration, parts of messages. By source file in `crates/portcullis-core/src`.
";

/// The list is complete: each example of a page has its template. And it is what the file holds.
pub fn each_is_listed() {
    let sources = Sources::read(&repository().join("crates/portcullis-core/src"));
    let (text, lost) = render(&sources);
    assert!(lost.is_empty(), "no template was found in the sources for these messages:\n{}", lost.join("\n"));
    if golden::is_updated() {
        fs::write(repository().join(FILE), &text).expect("the documentation is writable");
    }
    assert!(read(FILE) == text, "{FILE} is stale: run `just docs`");
}

/// The file, and the examples for which no template was found.
fn render(sources: &Sources) -> (String, Vec<String>) {
    let (mut text, mut lost, mut listed) = (HEAD.to_owned(), Vec::new(), BTreeSet::new());
    let mut family = "";
    for check in registry::all() {
        let entry = Entry::Check(check);
        if entry.family() != family {
            family = entry.family();
            text += &format!("\n## {family}\n");
        }
        let templates = sources.of_check(check.id);
        let (lines, without) = messages(&templates, shown(check.id, check.page));
        text += &format!("\n### `{}`\n\n{}\n\n```text\n{lines}```\n", check.id, entry.title());
        lost.extend(without.into_iter().map(|message| format!("{}: {message}", check.id)));
        listed.extend(templates);
    }
    text += OTHERS;
    for (file, templates) in sources.beyond(&listed) {
        text += &format!("\n### `{file}`\n\n```text\n{}\n```\n", templates.join("\n"));
    }
    (text, lost)
}

/// A line for each template, each with the first example of it below; and the examples that no template makes.
fn messages(templates: &BTreeSet<String>, mut shown: Vec<String>) -> (String, Vec<String>) {
    let mut examples: BTreeMap<&String, String> = BTreeMap::new();
    // Of two templates that could have made a message, the one that says more has.
    let mut split: Vec<(&String, Vec<&str>)> = templates.iter().map(|template| (template, words(template))).collect();
    split.sort_by_key(|(_, words)| Reverse(words.iter().map(|words| words.len()).sum::<usize>()));
    for (template, words) in split {
        let (made, others): (Vec<String>, Vec<String>) =
            shown.into_iter().partition(|message| is_made_of(message, &words));
        examples.extend(made.into_iter().next().map(|message| (template, message)));
        shown = others;
    }
    let lines = templates.iter().map(|template| {
        let example = examples.get(template).filter(|example| *example != template);
        format!("{}\n{}", line(template), example.map(|example| format!("    {}\n", line(example))).unwrap_or_default())
    });
    (lines.collect(), shown)
}

/// The parts of a template between the places for values and for other parts.
fn words(template: &str) -> Vec<&str> {
    static PLACE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\{[a-z_]*\}|…").expect("the pattern is constant and valid"));
    PLACE.split(template).collect()
}

/// Whether a message has all these words in their order, and nothing before the first or after the last.
fn is_made_of(message: &str, words: &[&str]) -> bool {
    let [first, between @ .., last] = words else { return words == [message] };
    let Some(rest) = message.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return false };
    let left = between.iter().try_fold(rest, |rest, words| rest.split_once(words).map(|(_, left)| left));
    left.is_some()
}

/// A text on one line.
fn line(text: &str) -> String {
    text.replace('\n', "\\n")
}

/// The messages that the examples of a page show, without ids and addresses.
fn shown(id: &str, page: &str) -> Vec<String> {
    let findings = blocks(page).into_iter().filter(|block| block.words == "findings");
    let lines: Vec<String> =
        findings.flat_map(|block| block.text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    let message = |line: &String| {
        let (_, rest) = line.split_once(&format!("{id} "))?;
        let (_, message) = rest.split_once(": ")?;
        Some(message.strip_prefix("was so already: ").unwrap_or(message).to_owned())
    };
    lines.iter().filter_map(message).collect()
}
