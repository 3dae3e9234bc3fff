//! `portcullis config`: checks, explains, compares and tests configurations, or prints their schema.

mod check;
mod diff;
pub(super) mod explain;
mod objects;
mod requests;
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
    /// Report all errors of a configuration, and what has no effect.
    Check(check::CheckArgs),
    /// Show which action each check has for a write, and which line decides.
    Explain(explain::ExplainArgs),
    /// Show which objects another configuration treats differently, with the findings that appear or vanish.
    Diff(diff::DiffArgs),
    /// Run test cases: objects, and what a configuration must say about them; and requests, and which object must answer.
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
