//! The command line as its help shows it: the commands by what they are for, and the exit codes of all of them.

use clap::{Command, CommandFactory};

use super::Cli;

/// What the commands of a group are for, and their names.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Check", &["lint", "audit", "snapshot", "config"]),
    ("Ask", &["explain", "compare", "can-i", "claims", "why", "status", "checks", "demo"]),
    ("Run", &["serve", "maintain", "manifests", "export", "certs"]),
    ("Administer", &["arm", "disarm", "remove-finalizers", "completions", "man"]),
];

/// What to do first.
const BEGIN: &str = "Begin with `portcullis lint .` or `portcullis audit --context NAME`; both only read.";

const EXIT_CODES: &str = "Exit codes:
  0  done; nothing would be denied; an object answers; yes
  1  not done; something would be denied; no object answers; an answer or a status differs; a host is disputed; no
  2  wrong usage, a configuration or file that cannot be used, or no access to the cluster
  3  something was not read or not compared, so that the answer may be incomplete";

/// The command line.
pub fn command() -> Command {
    let command = with_exit_codes(Cli::command());
    let groups = groups(&command);
    let template = "{about-with-newline}\n{usage-heading} {usage}\n\n";
    command.help_template(format!("{template}{BEGIN}\n\n{groups}Options:\n{{options}}{{after-help}}"))
}

fn with_exit_codes(command: Command) -> Command {
    command.mut_subcommands(with_exit_codes).after_help(EXIT_CODES)
}

/// The commands with their descriptions, a paragraph for each group.
fn groups(command: &Command) -> String {
    let line = |name: &&str| {
        let about = command.find_subcommand(name).and_then(Command::get_about);
        format!("  {name:<18} {}\n", about.expect("each command has a description"))
    };
    let group =
        |(title, names): &(&str, &[&str])| format!("{title}:\n{}\n", names.iter().map(line).collect::<String>());
    GROUPS.iter().map(group).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_command_is_in_one_group_and_fits_a_line() {
        let command = Cli::command();
        let names: BTreeSet<&str> = command.get_subcommands().map(Command::get_name).collect();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        assert_eq!(grouped.len(), names.len());
        assert_eq!(grouped.into_iter().collect::<BTreeSet<_>>(), names);
        let long = |line: &&str| line.chars().count() > 100;
        assert_eq!(groups(&command).lines().filter(long).collect::<Vec<_>>(), Vec::<&str>::new());
    }
}
