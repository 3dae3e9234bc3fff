//! Every command line of the program in the documents is one that the program understands.

use clap::Parser;
use clap::error::ErrorKind;
use portcullis::cli::Cli;
use portcullis_core::checks::registry;
use portcullis_testing::page::blocks;
use portcullis_testing::repository::{documents, read};

/// What a shell does not pass on: it ends a command.
const ENDS: [&str; 6] = ["|", "||", "&&", "&", ">", ";"];

#[test]
fn each_command_line_in_the_documents_is_understood() {
    let texts = documents().into_iter().map(|document| (read(&document), document));
    let pages = registry::all().map(|check| (check.page.to_owned(), check.id.to_owned()));
    let (mut count, mut wrong) = (0, Vec::new());
    for (text, document) in texts.chain(pages) {
        for line in command_lines(&text) {
            count += 1;
            if let Err(why) = understood(&line) {
                wrong.push(format!("{document}: {line}\n    {why}"));
            }
        }
    }
    assert!(count > 50, "only {count} command lines are found");
    assert!(wrong.is_empty(), "the program does not understand:\n{}", wrong.join("\n"));
}

/// The command lines of the program in a text: in blocks, and between backticks.
fn command_lines(text: &str) -> Vec<String> {
    let is_typed = |words: &str| ["sh", "console", "yaml"].iter().any(|language| words.starts_with(language));
    let typed = blocks(text).into_iter().filter(|block| is_typed(&block.words));
    let in_blocks = typed.flat_map(|block| {
        let joined = block.text.replace("\\\n", " ");
        joined.lines().filter_map(command).collect::<Vec<_>>()
    });
    let prose: String = text.split("```").step_by(2).collect();
    let words: Vec<String> = prose.split('`').skip(1).step_by(2).map(|code| code.replace('\n', " ")).collect();
    in_blocks.chain(words.iter().filter_map(|code| command(code))).collect()
}

/// The part of a line that begins with the program: after a prompt, a key of YAML, or variables.
fn command(line: &str) -> Option<String> {
    let (before, command) = line.split_at(line.find("portcullis ")?);
    let is_before = |word: &str| matches!(word, "$" | "-" | "run:" | "script:") || word.contains('=');
    before.split_whitespace().all(is_before).then(|| command.to_owned())
}

/// What is wrong with a command line, if anything.
fn understood(line: &str) -> Result<(), String> {
    let words = shlex::split(line).ok_or("quotes are not closed")?;
    let is_end = |word: &String| ENDS.iter().any(|end| word == end) || word.starts_with('>');
    let words = words.into_iter().take_while(|word| !is_end(word));
    match Cli::try_parse_from(words) {
        Ok(_) => Ok(()),
        // A sentence may name a command or an option without its arguments.
        Err(error) if error.kind() == ErrorKind::MissingRequiredArgument => Ok(()),
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Ok(()),
        Err(error) => Err(error.to_string().lines().next().unwrap_or_default().to_owned()),
    }
}
