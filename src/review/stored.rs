//! Objects that stand somewhere already: what the checks would say if each were written now.

use jiff::Timestamp;

use crate::checks::{Judgement, Operation, Plan, Write};
use crate::cluster::{Cluster, Overlay};
use crate::kinds::{Misfit, ObjectRef, decode};

/// The judgement of the object in `json`, which stands at `this` among the objects of `cluster`.
pub fn judge(plan: &Plan, cluster: &Cluster, this: &ObjectRef, json: &str, now: Timestamp) -> Judgement {
    let overlay = Overlay::new(cluster, this);
    let write = Write { operation: Operation::Stored, this, user: None, now };
    match decode(this.kind, json) {
        Ok(object) => plan.check(&object, || None, &overlay, &write),
        Err(_) => plan.check_unreadable(&Misfit::of(this.kind, json), false, &overlay, &write),
    }
}
