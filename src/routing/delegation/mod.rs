//! The graph that IngressRoutes make: roots own hosts and delegate parts of them to vertices, which may delegate on.
//!
//! What the gate asks of one object is in [`covers`], [`cycle`], [`chain`] and [`target`].

pub mod chain;
pub mod covers;
pub mod cycle;
pub mod target;

pub use chain::Chain;
pub use covers::covers;
pub use target::Target;
