//! The statuses that the controller writes.

mod admission;
mod answers;
mod compare;
mod incremental;
mod merging;
mod pages;
mod table;
mod world;
