//! What objects mean together: which listeners take a route, which of them can share a port, and whether a
//! reference leads anywhere.
//!
//! Pure functions over the view that return why. The checks use them at the gate, the status writer on what is stored, so that the two
//! cannot disagree.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod attachment;
pub mod backend;
pub mod grant;
pub mod sharing;

pub use attachment::{Attachment, Refusal};
pub use backend::Resolution;
