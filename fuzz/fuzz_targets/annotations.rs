//! `annotations`, as `portcullis_fuzz::targets::annotations` describes it.
#![cfg_attr(fuzzing, no_main)]

portcullis_fuzz::fuzz!(portcullis_fuzz::targets::annotations::TARGET);
