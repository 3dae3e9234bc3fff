//! Turns an AdmissionReview request into a response. Everything here is pure and synchronous, so that the same review
//! always gets the same bytes from the same view.
//!
//! This module decodes the envelope, [`crate::kinds`] the object, and [`crate::checks`] checks it. The caller handles
//! HTTP and provides the time.

mod abridge;
mod answer;
pub mod canary;
pub mod comparison;
pub mod envelope;
mod error;
mod hypothetical;
mod losses;
mod mutate;
mod outline;
mod own_configuration;
pub mod reach;
mod recheck;
pub mod request;
mod reserve;
mod reviewer;
pub mod stored;
mod unchanged;
mod validate;
mod verdict;

pub use answer::{AdmissionVerdict, Denied, ReviewResponse, Summary};
pub use error::ReviewError;
pub use hypothetical::{HypotheticalKind, HypotheticalObject};
pub use losses::Loss;
pub use outline::Outline;
pub use reach::Reach;
pub use recheck::{LateConflict, Rechecked, WriteNotShown};
pub use reviewer::Reviewer;
