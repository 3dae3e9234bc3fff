//! `hosts_and_paths`, as `portcullis_fuzz::targets::hosts_and_paths` describes it.
#![cfg_attr(fuzzing, no_main)]

portcullis_fuzz::fuzz!(portcullis_fuzz::targets::hosts_and_paths::TARGET);
