//! `configuration`, as `portcullis_fuzz::targets::configuration` describes it.
#![cfg_attr(fuzzing, no_main)]

portcullis_fuzz::fuzz!(portcullis_fuzz::targets::configuration::TARGET);
