//! The meaning of objects in combination: which listeners accept a route, under which hosts and beside which other
//! routes; which listeners can share a port; whether a reference resolves; and which objects delegate to which.
//!
//! These are pure functions over the view that also return reasons. The checks use them during admission and the status
//! writer uses them for stored objects, so the two always agree.
//!
//! The checks of a route ask these questions about each of its references to a parent. The right column has the checks that report:
//!
//! ```text
//! walk::route::parent_refs, ParentFacts::of    which object, section and port it names
//! Overlay::listeners                           Absent: route/parent-not-found; Unknown: none
//! attachment, for each listener                a NotAllowedReason, or None if it accepts the route
//!   section, port                              route/section-not-found, route/parent-port-not-found
//!   kind, namespace                            route/kind-not-allowed, route/namespace-not-allowed
//!   host                                       route/hostname-not-served
//! conflict, on the listeners that accept       host/route-conflict
//! kind_lookup, on the same listeners           host/http-grpc-clash
//! ```

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
pub mod serving;
pub mod shared_proxy;
pub mod taken_requests;
pub mod traefik_routes;
pub mod used_references;

pub use attachment::{Attachment, NotAllowedReason};
pub use backend::Resolution;
pub use hosts::Hosts;
pub use include::Includes;
pub use neighbors::neighbors;
