//! The statuses that the controller writes.

mod answers;
mod compare;
mod gate;
mod incremental;
mod merging;
mod pages;
mod table;
mod world;
