//! The graph that IngressRoutes make: roots own hosts and delegate parts of them to vertices, which may delegate on.
//!
//! What the gate asks of one object it asks of its [`GraphContext`]. [`GraphState`] is what is true now of every object, and [`status`] how
//! that is written down.

pub mod ancestors;
pub mod chain;
mod component;
pub mod counts;
pub mod covers;
pub mod graph_context;
mod graph_view;
mod judge;
mod local;
pub mod prefixes;
pub mod status;
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
pub use prefixes::Prefixes;
pub use status::IngressRouteStatus;
pub use target::Target;
pub use verdict::{DelegationState, GraphStatus};
pub use verdicts::GraphState;
