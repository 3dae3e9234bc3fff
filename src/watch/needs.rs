//! Which kinds are to be watched, as the plan asks for them.

use std::sync::Arc;
use std::time::Duration;

use portcullis_core::kinds::{Kind, KindSet};

/// How often to ask what is wanted.
pub(super) const INTERVAL: Duration = Duration::from_millis(500);

/// What is wanted of a cluster.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The kinds whose objects are to be known.
    pub kinds: KindSet,
    /// Whether it matters which schemas there are of the kinds that come as CRDs.
    pub schemas: bool,
}

impl Wanted {
    /// Whether the API server must be asked what it serves.
    pub(super) fn is_discovered(&self) -> bool {
        self.schemas || self.kinds.iter().any(Kind::is_gateway_api)
    }
}

/// Tells what is wanted now.
pub type Needs = Arc<dyn Fn() -> Wanted + Send + Sync>;
