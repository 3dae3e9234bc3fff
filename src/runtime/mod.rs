//! Keeps a serving process running and current: supervises its tasks, reloads its files, evaluates IngressRoutes, and
//! derives readiness from these parts.
//!
//! `supervisor` runs the tasks and reports the first one that stops, `reload` applies changed files, `config_map`
//! applies the configuration of a ConfigMap (`configuration` is what both have in common, `config_state` says which one is in effect,
//! `config_events` which one cannot be used), `reconcile` keeps the [`VerdictCache`] current, `recheck` finds conflicts that two replicas
//! have admitted, `metrics` says which metrics a process has, `heartbeat` shows that it runs tasks, and `readiness` (or `maintenance`,
//! without reviews) provides the content of `/livez`, `/readyz` and `/metrics`. Commands create these parts and connect them; the server
//! and the metrics know them only as implementations of their own traits.

mod config_events;
mod config_map;
mod config_state;
mod configuration;
mod heartbeat;
mod loss_events;
mod maintenance;
mod metrics;
mod readiness;
mod recheck;
mod reconcile;
pub mod reload;
mod supervisor;
mod verdict_cache;

pub use config_events::report_unusable;
pub use config_map::ConfigMapReloader;
pub use config_state::{ConfigId, ConfigState, Fallback};
pub use configuration::ConfigTarget;
pub use loss_events::LossEvents;
pub use maintenance::Maintenance;
pub use metrics::process_metrics;
pub use readiness::Readiness;
pub use recheck::{RecheckTiming, recheck};
pub use reconcile::reconcile;
pub use supervisor::Supervisor;
pub use verdict_cache::VerdictCache;
