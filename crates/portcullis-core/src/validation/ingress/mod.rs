//! The rules for an Ingress itself, by topic.

pub mod backend;
pub mod host;
pub mod metadata;
pub mod path;
pub mod status;
pub mod tls;
