//! The checks: what is wrong with an object, as pure functions of the object, what is known of the rest, the configuration and `now`.
//!
//! In come view types and a [`Context`], out come findings. A check does no IO, reads no clock, logs nothing, and calls no other check.

mod assumption;
mod backend_tls_policy;
mod certificate;
pub mod check;
mod delegation;
mod enabled;
mod filter;
mod found;
mod gateway;
mod gateway_class;
mod header_value;
mod host;
mod http_route;
mod httpproxy;
mod ingress;
mod ingress_class;
mod ingressroute;
mod judgement;
mod l4_route;
mod listener;
mod listener_set;
mod object;
pub mod plan;
mod reference_grant;
pub mod registry;
mod round;
mod route;
mod rule;
mod run;
pub mod settings;
mod shared;
mod tlscertificatedelegation;
mod validate;

pub use crate::finding::{Actions, Profile};
pub use crate::operation::Operation;
pub use check::{Check, Context, Release, Takes};
pub use judgement::{Judged, Judgement, Surplus, Write};
pub use plan::{Before, Plan};
pub use run::{Change, Run, When};
pub use shared::Shared;
