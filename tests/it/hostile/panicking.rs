//! The program with a check that panics, so that a test can see it survive.

use std::process::ExitCode;

use portcullis::cli::Cli;

fn main() -> ExitCode {
    Cli::of_process().run()
}
