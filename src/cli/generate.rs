//! `portcullis completions` and `portcullis man`: files for shells and `man`, generated from the command line.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use clap_complete::Shell;

use super::{help, print_text};

/// Print the completions of the command line for a shell.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

impl CompletionsArgs {
    /// Prints the completions.
    pub fn run(&self) -> anyhow::Result<()> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut help::command(), "portcullis", &mut text);
        print_text(&String::from_utf8(text)?)
    }
}

/// Write a man page for each command into a folder.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The folder, which is created if it does not exist.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl ManArgs {
    /// Writes `portcullis.1`, `portcullis-lint.1` and so on.
    pub fn run(&self) -> anyhow::Result<()> {
        fs::create_dir_all(&self.folder).with_context(|| self.folder.display().to_string())?;
        clap_mangen::generate_to(help::command(), &self.folder).with_context(|| self.folder.display().to_string())
    }
}
