//! The `portcullis` program around [`portcullis_core`], which decides everything: sockets, disks, clocks and clusters.
//!
//! - **Outside**: [`server`], [`tls`], [`files`], [`watch`], [`telemetry`].
//! - **Process**: [`runtime`] (supervision, reload, reconciliation, readiness).
//! - **Wiring**: [`cli`] and [`manifests`] (the webhook configurations and RBAC that the table of kinds asks for).

pub mod cli;
pub mod files;
pub mod manifests;
pub mod runtime;
pub mod server;
pub mod telemetry;
pub mod tls;
pub mod watch;
