//! `portcullis config`: checks, explains, compares and tests configurations, or prints their schema.

mod check;
mod diff;
mod explain;
mod objects;
mod test;

use std::process::ExitCode;

use clap::Subcommand;

use super::{ConfigArgs, exit, print_text};
use portcullis_core::config::Config;

/// Check, explain, compare and test configurations, or print their schema.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print the JSON schema of a configuration file, for editors.
    Schema,
    /// Report all errors of a configuration, and what has no effect. Exit codes: 0 valid, 2 invalid, or wrong usage.
    Check(check::CheckArgs),
    /// Show which action each check has for a write, and which line decides. Exit codes: 0 shown, 2 invalid, or wrong usage.
    Explain(explain::ExplainArgs),
    /// Show which objects another configuration treats differently, with the findings that appear or vanish. Exit codes: 0 none, 1 some, 2
    /// wrong usage, 3 none but something was not read.
    Diff(diff::DiffArgs),
    /// Run test cases for a configuration: objects, and what it must say about them. Exit codes: 0 all passed, 1 one failed, 2 wrong usage,
    /// or a file that cannot be used.
    Test(test::TestArgs),
}

impl ConfigCommand {
    /// Runs the command. Fails with all errors of the configuration.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Schema => {
                print_text(&format!("{:#}\n", Config::json_schema()))?;
                Ok(ExitCode::from(exit::SUCCESS))
            }
            Self::Check(check) => check.run(),
            Self::Explain(explain) => explain.run(),
            Self::Diff(diff) => diff.run(),
            Self::Test(test) => test.run(),
        }
    }
}
