//! An AdmissionReview in, an AdmissionReview out; pure and synchronous, so that the same review always gets the same bytes of the same view.
//!
//! The envelope is read here, the object is read by [`crate::kinds`], judged by [`crate::checks`]; HTTP and time are the caller's.

mod abridge;
mod answer;
pub mod envelope;
mod mutate;
mod outline;
pub mod request;
mod reserve;
mod reviewer;
pub mod stored;
mod unchanged;
mod validate;
mod verdict;

pub use answer::{AdmissionVerdict, ReviewError, ReviewResponse, Summary};
pub use outline::Outline;
pub use reviewer::Reviewer;
