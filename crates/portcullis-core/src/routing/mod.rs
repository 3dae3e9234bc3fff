//! What objects mean together: which listeners take a route, under which hosts and beside whom, which of them can share a port, whether a
//! reference leads anywhere, and who delegates what to whom.
//!
//! Pure functions over the view that return why. The checks use them at the gate, the status writer on what is stored, so that the two
//! cannot disagree.

pub mod attachment;
pub mod backend;
pub mod conflict;
pub mod controllers;
pub mod default_class;
pub mod delegation;
pub mod grant;
pub mod hosts;
pub mod include;
pub mod kind_clash;
pub mod listener_conflict;
mod neighbors;
pub mod precedence;
mod presence;
mod rivals;
pub mod shared_proxy;

pub use attachment::{Attachment, NotAllowedReason};
pub use backend::Resolution;
pub use hosts::Hosts;
pub use include::Includes;
pub use neighbors::neighbors;
