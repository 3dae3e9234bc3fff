//! Code that the two test targets of Portcullis share: `tests/pure`, with ordinary tests, and `tests/it`, with trials
//! that need servers.

pub mod config;
mod each;
pub mod field_tables;
pub mod golden;
pub mod guides;
pub mod json_schema;
pub mod kep_table;
pub mod page;
pub mod pages;
pub mod repository;
pub mod rng;
pub mod status;

pub use each::each;
