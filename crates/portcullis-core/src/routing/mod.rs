//! The meaning of objects in combination: which listeners accept a route, under which hosts and beside which other
//! routes; which listeners can share a port; whether a reference resolves; and which objects delegate to which.
//!
//! These are pure functions over the view that also return reasons. The checks use them during admission and the status
//! writer uses them for stored objects, so the two always agree.

pub mod attachment;
pub mod authority;
pub mod backend;
pub mod conflict;
pub mod controllers;
pub mod default_class;
pub mod delegation;
pub mod grant;
pub mod host_holders;
pub mod hosts;
pub mod include;
pub mod kind_clash;
pub mod kind_lookup;
pub mod listener_conflict;
pub mod listener_precedence;
pub mod listener_tree;
mod neighbors;
pub mod obstacle;
pub mod policy_conflict;
pub mod policy_target;
pub mod precedence;
pub mod presence;
mod read_failure;
pub mod redirect;
pub mod references;
mod rivals;
pub mod shared_proxy;
pub mod taken_requests;
pub mod used_references;

pub use attachment::{Attachment, NotAllowedReason};
pub use backend::Resolution;
pub use hosts::Hosts;
pub use include::Includes;
pub use neighbors::neighbors;
