//! Objects that stand somewhere already: what the checks would say if each were written now.

use jiff::Timestamp;

use crate::checks::{Judgement, Operation, Plan, Write};
use crate::cluster::{Cluster, Overlay};
use crate::kinds::schema::{UnknownField, unknown_fields};
use crate::kinds::{Misfit, ObjectRef, decode};

/// The judgement of the manifest in `json`, which stands at `this` among the objects of `cluster`.
pub fn judge_manifest(plan: &Plan, cluster: &Cluster, this: &ObjectRef, json: &str, now: Timestamp) -> Judgement {
    judge_with(plan, cluster, this, json, &unknown_fields(this.kind, json), now)
}

/// The judgement of the object in `json`, which an API server stores at `this` among the objects of `cluster`. It may be newer than the
/// schemas here, so no field of it is strange.
pub fn judge(plan: &Plan, cluster: &Cluster, this: &ObjectRef, json: &str, now: Timestamp) -> Judgement {
    judge_with(plan, cluster, this, json, &[], now)
}

fn judge_with(
    plan: &Plan,
    cluster: &Cluster,
    this: &ObjectRef,
    json: &str,
    unknown: &[UnknownField],
    now: Timestamp,
) -> Judgement {
    let overlay = Overlay::new(cluster, this);
    let write = Write { operation: Operation::Stored, this, user: None, now };
    match decode(this.kind, json) {
        Ok(object) => plan.check_stored(&object, unknown, &overlay, &write),
        Err(_) => plan.check_unreadable(&Misfit::of(this.kind, json), false, &overlay, &write),
    }
}
