//! `envelope`, as `portcullis_fuzz::targets::envelope` describes it.
#![cfg_attr(fuzzing, no_main)]

portcullis_fuzz::fuzz!(portcullis_fuzz::targets::envelope::TARGET);
