//! Leader election: of all replicas one at a time holds the Lease, and only that one makes the writes that two must not make.
//!
//! `election` decides, as a function of what was seen and when; `elector` asks the API server and writes the Lease;
//! [`Leadership`] is what the rest of the process sees of it. The semantics are those of client-go: whether a Lease has expired is
//! judged by the observer's own clock since it last saw the Lease change, never by times that the holder wrote, so that clocks
//! that differ do no harm.

pub mod clock;
pub mod election;
mod elector;
mod leadership;

pub use clock::Moment;
pub use election::Timing;
pub use elector::{Elector, LeaderGauge};
pub use leadership::{Leadership, LeadershipSender, LeaseStatus, NotLeader};
