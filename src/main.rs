//! The `portcullis` program.

use std::process::ExitCode;

use portcullis::cli::Cli;
use tikv_jemallocator::Jemalloc;

/// A review of many rules makes hundreds of small allocations and frees all of them at its end.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

#[cfg(panic = "abort")]
compile_error!("a panic in a check must cost one review, not the process");

fn main() -> ExitCode {
    Cli::of_process().run()
}
