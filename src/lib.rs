//! The `portcullis` program around [`portcullis_core`]. The core decides everything; this crate provides network, disk,
//! clock and cluster access.
//!
//! - **Outside**: [`server`], [`tls`], [`webhook_configuration`], [`issuer`], [`enforcement`], [`files`], [`watch`], [`lease`],
//!   [`config_map`], [`request`], [`telemetry`], [`platform`].
//! - **Process**: [`runtime`] (supervision, reload, reconciliation, readiness).
//! - **Status**: [`controller`] (writes what the core computes).
//! - **Composition**: [`cli`] and [`manifests`] (webhook configurations and RBAC, generated from the table of kinds).
//!
//! Of the packages, `axum` and `tokio` answer requests, `rustls` speaks TLS, `rcgen` issues certificates, `kube` lists, watches and
//! patches, `json-patch` applies patches, `tracing` logs, and `tikv-jemallocator` (in `main.rs`) allocates.

pub mod cli;
pub mod config_map;
pub mod controller;
pub mod enforcement;
mod event;
pub mod files;
pub mod issuer;
pub mod lease;
pub mod manifests;
pub mod platform;
pub mod request;
pub mod runtime;
pub mod server;
pub mod telemetry;
pub mod tls;
pub mod watch;
pub mod webhook_configuration;
