//! Runs the checks on objects that already exist, in files or in a cluster.

use jiff::Timestamp;

use crate::checks::{Before, Operation, Outcome, Plan, Write};
use crate::cluster::{Cluster, Overlay};
use crate::kinds::schema::ManifestErrors;
use crate::kinds::{Object, ObjectRef, Partial, decisive, decode};
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

/// Checks the manifest in `json` at `this` as the write that would apply it to a cluster with the object in `live`, or
/// without one. `cluster` is the cluster as it would be with all manifests applied. An Ingress without a class keeps its
/// class in the cluster, or gets the default class.
pub fn check_applied(
    plan: &Plan,
    cluster: &Cluster,
    this: &ObjectRef,
    json: &str,
    live: Option<&str>,
    now: Timestamp,
) -> Outcome {
    let (mut partial, overlay) = (Partial::read(this.kind, json), Overlay::new(cluster, this));
    let live = live.map(|live| decode(this.kind, live).ok());
    if let Some(object) = &mut partial.object {
        default_class::settle(object, live.as_ref().and_then(Option::as_ref), &overlay);
    }
    let operation = if live.is_some() { Operation::Update } else { Operation::Create };
    let before = live.flatten().map_or(Before::Incomparable, |live| Before::Other(Box::new(live)));
    let write = Write { operation, this, user: None, now };
    plan.check_applied(&partial, &ManifestErrors::of(this.kind, json), &before, &overlay, &write).without_silenced()
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
