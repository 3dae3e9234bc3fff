//! What `/mutate` fills in: explicit edits of single fields, never a rewritten object.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used)]

pub mod registry;
