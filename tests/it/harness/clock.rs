//! Processes whose wall clock is wrong, by libfaketime.

use super::assets::{Lack, assets, needing};
use libtest_mimic::Trial;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// A trial that needs the control plane and libfaketime.
pub fn on_cluster_with_wrong_clocks(name: &str, test: fn()) -> Trial {
    needing(name, || assets().err().or_else(|| library().is_none().then_some(Lack::Faketime)), test)
}

/// Shifts the wall clock of a command by so much, such as `+5m`. Its other clocks, which only count, stay right.
pub(super) fn shift_wall_clock(command: &mut Command, offset: &str) {
    let library = library().expect("a trial with wrong clocks runs only where the library is");
    command.env("LD_PRELOAD", library).env("FAKETIME", offset).env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
}

/// The library in the folder in which Debian installs it. Its name there is that of the architecture.
fn library() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib").ok()?.flatten();
    folders.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1")).find(|library| library.exists())
}
