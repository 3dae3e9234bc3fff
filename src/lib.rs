//! Portcullis: the gate in front of a Kubernetes cluster's north-south traffic.
//!
//! The rooms, floor by floor; each uses those below it and never one above.
//!
//! **Words**: [`field`] (addresses), [`names`] (the forms of names in the API), [`kinds`] (view types),
//! [`finding`], [`sentence`], [`operation`], [`config`], [`bundle`] (releases of the Gateway API).
//! **Meaning**: [`matching`] (the algebra of hosts and paths), [`validation`] (the rules about one object by itself), [`cluster`] (what is known of the rest), [`routing`] (what
//! objects mean together).
//! **Knowledge**: [`defaults`] and [`checks`], pure functions of object, cluster, configuration and time; [`explain`] (who answers a
//! request).
//! **Answers**: [`review`] (AdmissionReview in, AdmissionReview out) and [`report`] (findings over many objects).
//! **Outside**: [`server`], [`tls`], [`files`], [`watch`], [`telemetry`]: sockets, disks, clocks, clusters.
//! **Process**: [`runtime`] (supervision, reload, reconciliation, readiness).
//! **Wiring**: [`cli`], which decides nothing.

pub mod bundle;
pub mod checks;
pub mod cli;
pub mod cluster;
pub mod config;
pub mod defaults;
pub mod explain;
pub mod field;
pub mod files;
pub mod finding;
pub mod kinds;
pub mod manifests;
pub mod matching;
pub mod names;
pub mod operation;
pub mod report;
pub mod review;
pub mod routing;
pub mod runtime;
pub mod sentence;
pub mod server;
pub mod telemetry;
pub mod tls;
pub mod validation;
pub mod watch;
