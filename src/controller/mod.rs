//! Writes the status that `portcullis_core::status` computes: an event leads to the objects that it affects, these to their desired
//! status, and this to a patch if something other than a time differs.
//!
//! The watches fill the `inbox` with objects (`object`), from which `store` keeps the newest version of each. `reconciler` evaluates
//! what has changed, compares it with what is stored (`change`, by the schemas of the CRDs in `schemas`), and puts what differs into
//! the `queue` (of a `kind_queue` for each kind, by `scope`); `progress` says when an object may be written, and `access` whether its kind
//! may be. `references` says which Secrets and ConfigMaps are read, and `read` reads them. `run` is the loop: it sends the writes (`write`)
//! at a bounded rate (`pace`) and only as long as this replica holds the Lease, takes in how they end (`finish`), and reports what became
//! bad (`report`, `report_queue`, `events`). Beside that loop, `grants` creates HostClaims for HostRequests, and `host_grants` keeps the list
//! of HostClaims for policies. `finalizers` takes back what would outlive an uninstallation.
//!
//! The answer to a write enters the `store` like an event of the watch, so the object is evaluated again, and what the API server has made
//! of the patch is compared. After a conflict, the object is read again with the same effect. If another writer overwrites a status that
//! was stored as desired, it is repaired with delays that double, and the schema is read again, since the CRD may drop what was written.

mod access;
mod change;
mod delay;
mod events;
mod finalizers;
mod finish;
#[cfg(test)]
mod fixture;
mod grants;
mod host_grants;
mod inbox;
mod kind_queue;
mod object;
mod pace;
mod progress;
mod queue;
mod read;
mod reconciler;
mod references;
mod report;
mod report_queue;
mod run;
mod schemas;
mod scope;
mod store;
mod write;

pub use finalizers::{RemovedFinalizers, remove_finalizers};
pub use grants::Granter;
pub use host_grants::HostGrantsWriter;
pub use inbox::Inbox;
pub use object::other_manager;
pub use run::Controller;
pub use schemas::read as read_schema;

use portcullis_core::kinds::{Kind, KindSet};
use portcullis_core::status::KINDS;

/// The kinds that a status may depend on.
pub const NEEDS: KindSet = KINDS.union(KindSet::of(&[
    Kind::IngressClass,
    Kind::Service,
    Kind::Namespace,
    Kind::ReferenceGrant,
    Kind::TlsCertificateDelegation,
]));
