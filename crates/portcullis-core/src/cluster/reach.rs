//! Which hosts a walk visits.

use crate::matching::Host;

/// The hosts of a walk.
#[derive(Debug, Clone, Copy)]
pub enum Reach<'h> {
    /// This host, which is not `Host::Any`.
    Exactly(&'h Host<'h>),
    /// Precise ones that consist of one label and this suffix.
    OneLabelUnder(&'h str),
    /// All except `Host::Any`.
    All,
}
