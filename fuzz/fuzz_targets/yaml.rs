//! `yaml`, as `portcullis_fuzz::targets::yaml` describes it.
#![cfg_attr(fuzzing, no_main)]

portcullis_fuzz::fuzz!(portcullis_fuzz::targets::yaml::TARGET);
