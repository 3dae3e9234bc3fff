//! `portcullis config`: checks a configuration file, or prints its schema.

use std::path::PathBuf;

use clap::Subcommand;
use jiff::Timestamp;

use super::{ConfigArgs, print_text};
use portcullis_core::checks::Plan;
use portcullis_core::config::Config;
use portcullis_core::finding::Action;

/// Check a configuration file, or print its schema.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print the JSON schema of the configuration file, for editors.
    Schema,
    /// Report all errors of a configuration file.
    Check {
        /// The configuration file (YAML).
        file: PathBuf,
    },
}

impl ConfigCommand {
    /// Prints the schema, or a summary of the file. Fails with all errors of the file.
    pub fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Schema => print_text(&format!("{:#}\n", Config::json_schema())),
            Self::Check { file } => {
                let name = file.display().to_string();
                let plan = ConfigArgs { config: Some(file), root_namespaces: Vec::new() }.plan(None)?;
                for over in plan.config().expired(Timestamp::now()) {
                    eprintln!("portcullis: warning: {over}");
                }
                print_text(&format!("{name}: {}\n", summary(&plan)))
            }
        }
    }
}

/// A summary such as `profile baseline; checks that deny: 2, warn: 1, audit: 0`.
fn summary(plan: &Plan) -> String {
    let profile = plan.config().profile.as_ref().map_or("baseline", |profile| profile.as_str());
    let count = |wanted: Action| plan.checks().filter(|(_, action)| *action == wanted).count();
    let (deny, warn, audit) = (count(Action::Deny), count(Action::Warn), count(Action::Audit));
    format!("profile {profile}; checks that deny: {deny}, warn: {warn}, audit: {audit}")
}
