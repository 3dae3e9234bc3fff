//! The pure part of Portcullis: what is valid, who claims a host, who answers a request, as functions of an object, of what is
//! known of its cluster, of the configuration, and of the time.
//!
//! Nothing here reads a file, a clock or an environment variable, opens a connection, or spawns a task; Cargo.toml names no
//! crate that could. The `portcullis` program adds those.
//!
//! Modules from the bottom up; each uses those above it in this list and never one below:
//!
//! - **Words**: [`field`] (addresses in objects), [`names`] (forms of names in the API), [`kinds`] (view types), [`finding`],
//!   [`message`], [`operation`], [`config`], [`bundle`] (releases of the Gateway API).
//! - **Meaning**: [`matching`] (the algebra of hosts and paths), [`validation`] (rules about one object by itself),
//!   [`cluster`] (what is known of the others), [`routing`] (what objects mean together).
//! - **Knowledge**: [`defaults`] and [`checks`]; [`explain`] (which object answers a request).
//! - **Answers**: [`review`] (AdmissionReview in, AdmissionReview out) and [`report`] (findings over many objects).

pub mod bundle;
pub mod checks;
pub mod cluster;
pub mod config;
pub mod defaults;
pub mod explain;
pub mod field;
pub mod finding;
pub mod kinds;
pub mod matching;
pub mod message;
pub mod names;
pub mod operation;
pub mod report;
pub mod review;
pub mod routing;
pub mod validation;
