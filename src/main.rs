//! The `portcullis` program.

use std::process::ExitCode;

use clap::Parser;
use portcullis::cli::Cli;

fn main() -> ExitCode {
    Cli::parse().run()
}
