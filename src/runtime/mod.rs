//! What keeps a serving process running and current: supervision of its tasks, reloading of its files, the verdicts on
//! IngressRoutes, and the readiness that follows from all of them.
//!
//! `supervisor` runs the tasks and reports the first that stops, `reload` puts changed files into force, `reconcile` keeps
//! the [`VerdictCache`] current, and `readiness` is what `/readyz` and `/metrics` show. Commands build these parts and
//! connect them; the server and the metrics see them only through traits of their own.

mod readiness;
mod reconcile;
pub mod reload;
mod supervisor;
mod verdict_cache;

pub use readiness::Readiness;
pub use reconcile::reconcile;
pub use supervisor::Supervisor;
pub use verdict_cache::VerdictCache;
