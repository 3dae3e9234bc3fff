//! Fuzz targets over everything that reads what others write.
//!
//! Each target is a function of bytes that panics where something is wrong. `cargo fuzz run TARGET` calls it under libFuzzer;
//! built without `cargo fuzz`, the same binary mutates the target's seeds by itself for a minute ([`driver`]), which needs no
//! nightly toolchain and knows nothing of coverage.

pub mod driver;
mod mutate;
pub mod targets;

#[cfg(fuzzing)]
#[doc(hidden)]
pub use libfuzzer_sys;
pub use mutate::Mutator;

/// What is fuzzed.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name, which is also that of its binary.
    pub name: &'static str,
    /// Panics where the input shows a fault.
    pub run: fn(&[u8]),
    /// Inputs to begin with: some of each sort that is read.
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
