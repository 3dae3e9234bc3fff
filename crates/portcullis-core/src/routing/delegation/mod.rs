//! The graph of IngressRoutes: roots own hosts and delegate parts of them to vertices, which may delegate further.
//!
//! Checks evaluate one object in its [`GraphContext`]. [`GraphState`] holds the current verdict on every object, and
//! [`status`] converts a verdict to the object's `status`. A change costs as much as the objects that it is connected with. Incremental
//! evaluation is compared with evaluation from scratch and with an oracle by `tests/pure/properties/delegation.rs`.

pub mod ancestors;
pub mod chain;
mod component;
pub mod counts;
pub mod covers;
mod evaluator;
pub mod graph_context;
pub mod graph_rules;
mod graph_view;
mod local;
pub mod prefixes;
pub mod status;
mod strategy;
pub mod target;
mod traversal;
pub mod verdict;
pub mod verdicts;
mod words;

pub use ancestors::Ancestors;
pub use chain::Chain;
pub use counts::Counts;
pub use covers::covers;
pub use graph_context::{Delegation, GraphContext, NeighborVerdicts};
pub use graph_rules::{GraphRules, HostOwners, HostRule};
pub use prefixes::Prefixes;
pub use status::IngressRouteStatus;
pub use target::DelegationTarget;
pub use verdict::{DelegationState, GraphStatus};
pub use verdicts::GraphState;
