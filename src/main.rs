//! The `portcullis` program.

use std::process::ExitCode;

use portcullis::cli::Cli;

/// A review of many rules makes hundreds of small allocations and frees all of them at its end. jemalloc saves an eighth of its CPU
/// time (`docs/benchmarks.md`), and with the settings of `.cargo/config.toml` it returns after half a second what a first list or a large
/// body took. It is chosen here, so that users of the libraries keep their own allocator.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

#[cfg(panic = "abort")]
compile_error!("a panic in a check must cost one review, not the process");

fn main() -> ExitCode {
    Cli::of_process().run()
}
