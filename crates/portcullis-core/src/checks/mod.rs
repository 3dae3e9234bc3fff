//! The checks: pure functions of an object, the rest of the cluster, the configuration and the current time.
//!
//! A check takes a view type and a [`Context`] and returns findings. It does no IO, reads no clock, logs nothing, and
//! calls no other check.

mod added_claims;
mod assumption;
mod backend_tls_policy;
mod certificate;
pub mod check;
mod check_findings;
mod check_set;
mod class_rules;
pub mod content;
mod context;
pub mod decision;
mod delegation;
mod effective;
mod enabled;
mod evaluation;
mod external_name;
mod feature_uses;
mod filter;
mod gateway;
mod gateway_class;
mod header_value;
mod host;
mod host_claim;
mod http_proxy;
mod http_route;
pub mod ignore;
mod ineffective;
mod ingress;
mod ingress_class;
mod ingress_route;
mod l4_route;
mod layer;
pub mod layers;
mod listener;
mod listener_set;
mod maximum;
mod needs;
mod object;
mod outcome;
#[cfg(debug_assertions)]
mod panic;
mod part;
pub mod pinned_profile;
pub mod plan;
mod reference_grant;
pub mod registry;
mod required;
pub mod resolve;
mod route;
pub mod route_faults;
mod rule;
mod run;
mod secret_for_tls;
pub mod settings;
mod shared;
mod undone;
mod validate;

pub use crate::finding::{Actions, Profile};
pub use crate::operation::Operation;
pub use check::{Check, CheckOption, OptionDefault, Release};
pub use context::Context;
pub use outcome::{EvaluatedFinding, OmittedFindings, Outcome, Write};
pub use part::{CLAIMS_PER_TURN, Part};
pub use plan::{Before, Plan};
pub use run::{Run, When};
pub use shared::{Input, ObjectParts, ReviewSubjects};
