//! `docs/messages.md` lists all texts that a user can see, beginning with the messages of the checks. The templates
//! come from the sources, and the rendered examples from the pages.

mod source;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use portcullis_core::checks::registry;
use portcullis_core::message::{GROWING, PREEXISTING};
use portcullis_core::report::catalog::CatalogEntry;
use portcullis_testing::golden;
use portcullis_testing::page::blocks;
use regex::Regex;

use source::{ByFile, Sources};

const FILE: &str = "docs/messages.md";

const HEAD: &str = "\
# The messages

Below each check are the templates of its own source and those that the examples on its page show; `{}` is a value of the
object and `{other}` another object. An indented line is an example from the page; a template without one is in no example.
`…` stands for a part that is a template of its own. Templates that several checks share and no page shows follow after
the checks. `just docs` writes this file.
";

const SHARED: &str = "
## Messages shared by several checks

By source file; each belongs to the checks that use the file.
";

const OTHERS: &str = "
## Other texts

Verdicts of `portcullis status`, reasons of `portcullis explain`, errors of the configuration and of commands, answers of
the server, and parts of messages, by source file.
";

const LOGS: &str = "
## Log lines

By source file, with the level in front.
";

/// The list is complete, so each example of a page has a template, and the file matches it.
#[test]
fn each_message_is_listed() {
    let (text, lost) = render(&Sources::read());
    assert!(lost.is_empty(), "no template was found in the sources for these messages:\n{}", lost.join("\n"));
    golden::must_be_current(FILE, &text);
}

/// The text of the file, and the examples for which no template was found.
fn render(sources: &Sources) -> (String, Vec<String>) {
    let [shared, _] = sources.beyond(&BTreeSet::new());
    let shared: BTreeSet<String> = shared.into_values().flatten().collect();
    let (mut text, mut lost, mut listed) = (HEAD.to_owned(), Vec::new(), BTreeSet::new());
    let mut family = "";
    for check in registry::all() {
        let family_of_check = CatalogEntry::Check(check).family();
        if family_of_check != family {
            family = family_of_check;
            text += &format!("\n## {family}\n");
        }
        let own = sources.of_check(check);
        let (mut examples, rest) = match_examples(&own, shown(check.id, check.page));
        let (of_shared, without) = match_examples(&shared, rest);
        examples.extend(of_shared);
        lost.extend(without.into_iter().map(|message| format!("{}: {message}", check.id)));
        let templates: BTreeSet<&String> = own.iter().chain(examples.keys()).collect();
        let lines: String = templates.into_iter().map(|template| describe(template, examples.get(template))).collect();
        text += &format!("\n### `{}`\n\n```text\n{lines}```\n", check.id);
        listed.extend(own.into_iter().chain(examples.into_keys()));
    }
    let [shared, others] = sources.beyond(&listed);
    for (head, texts) in [(SHARED, shared), (OTHERS, others), (LOGS, sources.logs())] {
        text += &(head.to_owned() + &by_file(&texts));
    }
    (text, lost)
}

/// One block per file.
fn by_file(texts: &ByFile) -> String {
    let block = |(file, texts): (&String, &BTreeSet<String>)| {
        let lines: String = texts.iter().map(|text| describe(text, None)).collect();
        format!("\n### `{file}`\n\n```text\n{lines}```\n")
    };
    texts.iter().map(block).collect()
}

/// A template, followed by an example unless it is identical.
fn describe(template: &str, example: Option<&String>) -> String {
    let example = example.filter(|example| *example != template);
    format!("{}\n{}", line(template), example.map(|example| format!("    {}\n", line(example))).unwrap_or_default())
}

/// The first example of each template that has one, and the examples that match no template.
fn match_examples(templates: &BTreeSet<String>, mut shown: Vec<String>) -> (BTreeMap<String, String>, Vec<String>) {
    let mut examples = BTreeMap::new();
    // If a message matches two templates, it is assigned to the one with more text.
    let mut split: Vec<(&String, Vec<&str>)> = templates.iter().map(|template| (template, words(template))).collect();
    split.sort_by_key(|(_, words)| Reverse(words.iter().map(|words| words.len()).sum::<usize>()));
    for (template, words) in split {
        let (made, others): (Vec<String>, Vec<String>) =
            shown.into_iter().partition(|message| is_made_of(message, &words));
        examples.extend(made.into_iter().next().map(|message| (template.clone(), message)));
        shown = others;
    }
    (examples, shown)
}

/// The parts of a template between its placeholders.
fn words(template: &str) -> Vec<&str> {
    static PLACE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\{[a-z_]*\}|…").expect("the pattern is constant and valid"));
    PLACE.split(template).collect()
}

/// Whether a message contains all these parts in order, with nothing before the first one and nothing after the last
/// one but a suggestion.
fn is_made_of(message: &str, words: &[&str]) -> bool {
    let plain = message.rsplit_once("; did you mean `").map_or(message, |(plain, _)| plain);
    [message, plain].into_iter().any(|message| {
        let [first, between @ .., last] = words else { return words == [message] };
        let rest = message.strip_prefix(first).and_then(|rest| rest.strip_suffix(last));
        let left = |rest| between.iter().try_fold(rest, |rest: &str, words| Some(rest.split_once(words)?.1));
        rest.and_then(left).is_some()
    })
}

/// A text on one line.
fn line(text: &str) -> String {
    text.replace('\n', "\\n")
}

/// The messages in the findings of a page, without ids and addresses.
fn shown(id: &str, page: &str) -> Vec<String> {
    let findings = blocks(page).into_iter().filter(|block| block.words == "findings");
    let lines: Vec<String> =
        findings.flat_map(|block| block.text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    let message = |line: &String| {
        let (_, rest) = line.split_once(&format!("{id} "))?;
        let (_, message) = rest.split_once(": ")?;
        let unmarked = [PREEXISTING, GROWING].iter().find_map(|mark| message.strip_prefix(mark));
        Some(unmarked.unwrap_or(message).to_owned())
    };
    lines.iter().filter_map(message).collect()
}
