//! Fuzz targets for all code that reads input of users.
//!
//! Each target is a function of bytes that panics if it detects a bug. `cargo fuzz run TARGET` calls it under
//! libFuzzer. Built without `cargo fuzz`, the same binary mutates the seeds of the target for a minute ([`driver`]),
//! which requires no nightly toolchain but is not guided by coverage.

pub mod driver;
mod mutate;
pub mod targets;

#[cfg(fuzzing)]
#[doc(hidden)]
pub use libfuzzer_sys;
pub use mutate::Mutator;

/// A fuzz target.
#[derive(Clone, Copy)]
pub struct Target {
    /// The name, which is also that of the binary.
    pub name: &'static str,
    /// Panics if the input reveals a bug.
    pub run: fn(&[u8]),
    /// The initial inputs, with examples of each form of input.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// The entry point of a target's binary.
#[macro_export]
macro_rules! fuzz {
    ($target:expr) => {
        #[cfg(fuzzing)]
        $crate::libfuzzer_sys::fuzz_target!(|data: &[u8]| ($target.run)(data));

        #[cfg(not(fuzzing))]
        fn main() -> std::process::ExitCode {
            $crate::driver::main(&$target)
        }
    };
}
