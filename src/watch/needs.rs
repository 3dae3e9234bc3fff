//! The kinds to watch, as the plan needs them.

use std::sync::Arc;
use std::time::Duration;

use portcullis_core::kinds::{Kind, KindSet};

/// The interval at which the needs are evaluated.
pub(super) const INTERVAL: Duration = Duration::from_millis(500);

/// What a plan needs from a cluster.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The kinds whose objects the view must contain.
    pub kinds: KindSet,
    /// Whether the plan needs the schemas of the kinds that are defined by CRDs.
    pub schemas: bool,
}

impl Wanted {
    /// Whether the API server must be asked which kinds and versions it serves.
    pub(super) fn is_discovered(&self) -> bool {
        self.schemas || self.kinds.iter().any(Kind::is_custom)
    }
}

/// Returns the current needs.
pub type Needs = Arc<dyn Fn() -> Wanted + Send + Sync>;
