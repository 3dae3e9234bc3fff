//! Runs a target on inputs of a [`Mutator`] for some time. This is fuzzing on a stable toolchain.

use std::panic;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, fs};

use anyhow::{Context, Result};

use crate::{Mutator, Target};

/// The default duration of a run.
const DEFAULT: Duration = Duration::from_secs(60);

/// Runs the target on the files in the arguments. Without arguments, runs it on mutated seeds for `FUZZ_SECONDS`
/// seconds (60 by default), with the random seed `FUZZ_SEED` (random by default). An input that fails is written to
/// `fuzz/artifacts/TARGET`, and the program exits with 1.
pub fn main(target: &Target) -> ExitCode {
    match run(target) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{}: {error:#}", target.name);
            ExitCode::from(2)
        }
    }
}

/// Runs the target and returns whether no input failed.
fn run(target: &Target) -> Result<bool> {
    let files: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    for file in &files {
        (target.run)(&fs::read(file).with_context(|| file.display().to_string())?);
    }
    if !files.is_empty() {
        return Ok(true);
    }
    let time = number("FUZZ_SECONDS")?.map_or(DEFAULT, Duration::from_secs);
    let seed = number("FUZZ_SEED")?.unwrap_or_else(|| fastrand::u64(..));
    println!("{}: {} seconds from seed {seed}", target.name, time.as_secs());
    let (mut mutator, begin, mut inputs) = (Mutator::new((target.seeds)(), seed), Instant::now(), 0_u64);
    while begin.elapsed() < time {
        let input = mutator.next_input();
        inputs += 1;
        if panic::catch_unwind(|| (target.run)(&input)).is_err() {
            println!("{}: input {inputs} fails: {}", target.name, keep(target.name, &input)?.display());
            return Ok(false);
        }
    }
    println!("{}: {inputs} inputs, and none fails", target.name);
    Ok(true)
}

fn number(variable: &str) -> Result<Option<u64>> {
    let Ok(text) = env::var(variable) else { return Ok(None) };
    Ok(Some(text.parse().with_context(|| format!("{variable}={text}"))?))
}

/// Writes the failed input to a new file and returns its path.
fn keep(target: &str, input: &[u8]) -> Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("artifacts").join(target);
    fs::create_dir_all(&folder)?;
    let file = folder.join(format!("failure-{}", fs::read_dir(&folder)?.count()));
    fs::write(&file, input)?;
    Ok(file)
}
