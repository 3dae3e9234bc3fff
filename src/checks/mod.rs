//! The checks: what is wrong with an object, as pure functions of the object, what is known of the rest, the configuration and `now`.
//!
//! In come view types and a [`Context`], out come findings. A check does no IO, reads no clock, logs nothing, and calls no other check.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used)]

pub mod check;
mod enabled;
mod host;
mod ingress;
mod ingress_class;
mod judgement;
mod object;
pub mod plan;
pub mod registry;
mod round;
pub mod settings;
mod validate;

pub use check::{Actions, Check, Context, Operation, Profile, Release, Run};
pub use judgement::{Judged, Judgement, Write};
pub use plan::Plan;
