//! Portcullis: admission checks for a cluster's north-south traffic.

pub mod server;
pub mod tls;
