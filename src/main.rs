//! The `portcullis` program.

use std::process::ExitCode;

use clap::Parser;
use portcullis::cli::Cli;
use tikv_jemallocator::Jemalloc;

/// A review of many rules makes hundreds of small allocations, and gives all of them back a moment later.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    Cli::parse().run()
}
