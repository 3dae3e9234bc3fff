//! The graph that IngressRoutes make: roots own hosts and delegate parts of them to vertices, which may delegate on.
//!
//! What the gate asks of one object it asks of its [`Neighbours`]; [`verdict_if`] says what a write would do to all that hangs together
//! with it. [`Verdicts`] is what is true now of every object, and [`status`] how that is written down.

pub mod above;
pub mod chain;
mod component;
pub mod counts;
pub mod covers;
mod judge;
mod local;
pub mod neighbours;
pub mod prefixes;
mod scene;
pub mod status;
pub mod target;
pub mod verdict;
pub mod verdicts;
mod walk;
mod words;

pub use above::Above;
pub use chain::Chain;
pub use counts::Counts;
pub use covers::covers;
pub use neighbours::{Delegation, Neighbours, Standing};
pub use prefixes::Prefixes;
pub use status::Status;
pub use target::Target;
pub use verdict::{State, Verdict};
pub use verdicts::{Verdicts, verdict_if};
