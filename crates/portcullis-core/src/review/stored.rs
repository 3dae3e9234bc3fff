//! Runs the checks on objects that already exist, in files or in a cluster.

use jiff::Timestamp;

use crate::checks::{Operation, Outcome, Plan, Write};
use crate::cluster::{Cluster, Overlay};
use crate::kinds::schema::ManifestErrors;
use crate::kinds::{Object, ObjectRef, Partial, decisive};
use crate::routing::default_class;

/// Checks the manifest in `json` at `this` among the objects of `cluster`, without the warnings that the manifest
/// silences. An Ingress without a class gets the default class, as it would when it is created.
pub fn check_manifest(plan: &Plan, cluster: &Cluster, this: &ObjectRef, json: &str, now: Timestamp) -> Outcome {
    let mut partial = Partial::read(this.kind, json);
    let is_class_read =
        partial.decode_errors.iter().all(|decode_error| !decisive::decides(this.kind, &decode_error.at));
    if let Some(Object::Ingress(ingress)) = &mut partial.object
        && is_class_read
    {
        default_class::assume(ingress, &Overlay::new(cluster, this));
    }
    check_with(plan, cluster, this, &partial, &ManifestErrors::of(this.kind, json), now).without_silenced()
}

/// Checks the object in `json` that an API server stores at `this` among the objects of `cluster`. Unknown fields are
/// not reported, since the API server may have newer schemas.
pub fn check(plan: &Plan, cluster: &Cluster, this: &ObjectRef, json: &str, now: Timestamp) -> Outcome {
    check_with(plan, cluster, this, &Partial::read(this.kind, json), &ManifestErrors::default(), now)
}

fn check_with(
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
