//! The statuses that the controller writes.

mod pages;
