//! Portcullis: the gate in front of a Kubernetes cluster's north-south traffic.
//!
//! The rooms, from the ground up; each uses only those above it in this list:
//!
//! - [`field`], [`kinds`], [`finding`]: words. Addresses, view types, findings.
//! - [`matching`]: the algebra of hosts and paths.
//! - [`cluster`]: what is known of the rest.

pub mod checks;
pub mod cluster;
pub mod config;
pub mod defaults;
pub mod field;
pub mod files;
pub mod finding;
pub mod kinds;
pub mod matching;
pub mod names;
pub mod review;
pub mod sentence;
