//! `decode`, as `portcullis_fuzz::targets::decode` describes it.
#![cfg_attr(fuzzing, no_main)]

portcullis_fuzz::fuzz!(portcullis_fuzz::targets::decode::TARGET);
