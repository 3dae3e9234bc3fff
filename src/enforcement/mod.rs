//! Enforcement: `failurePolicy: Fail` in the webhook configurations, set only after a proof that every replica answers, and taken
//! back with no condition at all.
//!
//! Every manifest says `Ignore`. An operator runs `portcullis arm`, or the replica that holds the Lease does the same by itself
//! (`enforcer`). `portcullis disarm` leaves a record (`disarmed`), which such a replica honors.
//!
//! The proof is a canary ([`portcullis_core::review::canary`]), a dry run that each replica denies in its own name. `callee` says how
//! the API server calls the entries, `replicas` which replicas must answer, `proof` which of them have, and `policy` which entries
//! change; these decide and are pure. `arm` and `disarm` make the requests.
//!
//! A canary is sent through API server, caBundle and Service, since only the whole path shows whether a write that must be denied is
//! denied. The patch tests the resourceVersion, so it fails if the configuration is not the one that was proven.

mod arm;
mod callee;
mod canary;
mod disarm;
mod disarmed;
mod enforcer;
mod ownership;
mod policy;
mod proof;
mod replicas;

pub use arm::{ArmError, ArmOptions, Armed, arm};
pub use callee::{Callee, Unenforceable};
pub use canary::{Attempt, is_denied_by_others};
pub use disarm::{Disarmed, disarm, unbind};
pub use disarmed::{DISARMED, erase, is_disarmed, record};
pub use enforcer::{EnforcementState, EnforcementStatus, Enforcer, EnforcerOptions, NextStep};
pub use ownership::disown;
pub use policy::{PolicyChange, enforce, missing, relax};
pub use proof::{Gap, NotProven, Proof};
pub use replicas::{Replicas, ready};

use std::time::Duration;

/// How long one request of `portcullis arm` and `portcullis disarm` may take. Writes are slow when enforcement must be stopped because
/// etcd is.
pub const DEADLINE: Duration = Duration::from_secs(30);

/// How long a replica that enforces by itself sends canaries before it waits and begins again.
const ENFORCER_TIMEOUT: Duration = Duration::from_secs(10);

/// The name under which `portcullis arm` and `portcullis disarm` write fields.
pub const FIELD_MANAGER: &str = "portcullis-enforcement";
