//! Objects that stand somewhere already: what the checks would say if each were written now.

use jiff::Timestamp;

use crate::checks::{Operation, Outcome, Plan, Write};
use crate::cluster::{Cluster, Overlay};
use crate::kinds::schema::ManifestErrors;
use crate::kinds::{Object, ObjectRef, Partial, decisive};
use crate::routing::default_class;

/// The judgement of the manifest in `json`, which stands at `this` among the objects of `cluster`, for its author: without the warnings
/// that the manifest silences. An Ingress without a class has the default class, which it gets when it is created.
pub fn judge_manifest(plan: &Plan, cluster: &Cluster, this: &ObjectRef, json: &str, now: Timestamp) -> Outcome {
    let mut partial = Partial::read(this.kind, json);
    let is_class_read = partial.decode_errors.iter().all(|misfit| !decisive::decides(this.kind, &misfit.at));
    if let Some(Object::Ingress(ingress)) = &mut partial.object
        && is_class_read
    {
        default_class::assume(ingress, &Overlay::new(cluster, this));
    }
    judge_with(plan, cluster, this, &partial, &ManifestErrors::of(this.kind, json), now).without_silenced()
}

/// The judgement of the object in `json`, which an API server stores at `this` among the objects of `cluster`. It may be newer than the
/// schemas here, so no field of it is strange.
pub fn judge(plan: &Plan, cluster: &Cluster, this: &ObjectRef, json: &str, now: Timestamp) -> Outcome {
    judge_with(plan, cluster, this, &Partial::read(this.kind, json), &ManifestErrors::default(), now)
}

fn judge_with(
    plan: &Plan,
    cluster: &Cluster,
    this: &ObjectRef,
    object: &Partial<'_>,
    manifest: &ManifestErrors,
    now: Timestamp,
) -> Outcome {
    let overlay = Overlay::new(cluster, this);
    let write = Write { operation: Operation::Stored, this, user: None, now };
    plan.check_stored(object, manifest, &overlay, &write)
}
