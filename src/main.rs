//! The `portcullis` program.

use std::process::ExitCode;

use portcullis::cli::Cli;

/// A review of many rules makes hundreds of small allocations and frees all of them at its end.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

#[cfg(panic = "abort")]
compile_error!("a panic in a check must cost one review, not the process");

fn main() -> ExitCode {
    Cli::of_process().run()
}
