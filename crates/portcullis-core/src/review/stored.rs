//! Runs the checks on objects that already exist, in files or in a cluster.
//!
//! No API server has seen a manifest, so the schemas of CRDs count as not enforced. Only the default class is filled in; an object that a
//! cluster stores is checked as it is.

use jiff::Timestamp;

use crate::bundle::Bundle;
use crate::checks::{Before, Operation, Outcome, Plan, Write};
use crate::cluster::{Cluster, Overlay, User};
use crate::kinds::schema::ManifestErrors;
use crate::kinds::{Kind, ObjectRef, Partial, decode};
use crate::routing::default_class;
use crate::validation::channel_fields;

/// A manifest that `user` would apply at `now`.
#[derive(Debug, Clone, Copy)]
pub struct AppliedManifest<'m> {
    /// The reference to the object.
    pub this: &'m ObjectRef,
    /// The object.
    pub json: &'m str,
    /// The user; `None` if it is not known.
    pub user: Option<User<'m>>,
    /// The time.
    pub now: Timestamp,
}

impl<'m> AppliedManifest<'m> {
    /// A manifest that an unknown user would apply.
    pub const fn new(this: &'m ObjectRef, json: &'m str, now: Timestamp) -> Self {
        Self { this, json, user: None, now }
    }
}

/// Checks a manifest among the objects of `cluster`, without the warnings that the manifest silences. An Ingress without a class
/// gets the default class, as it would when it is created.
pub fn check_manifest(plan: &Plan, cluster: &Cluster, manifest: AppliedManifest<'_>) -> Outcome {
    let AppliedManifest { this, json, user, now } = manifest;
    let ((mut partial, errors), overlay) = (read(plan, cluster, this.kind, json), Overlay::new(cluster, this));
    default_class::settle_partial(&mut partial, this.kind, None, &overlay);
    let write = Write { operation: Operation::Stored, this, user, now };
    plan.check_stored(&partial, &errors, &overlay, &write).without_silenced()
}

/// Reads a manifest as written. Nothing is decoded of a retired version, since its fields differ.
fn read<'m>(plan: &Plan, cluster: &Cluster, kind: Kind, json: &'m str) -> (Partial<'m>, ManifestErrors) {
    let mut errors = ManifestErrors::of(kind, json);
    if errors.retired.is_some() {
        return (Partial { object: None, decode_errors: Vec::new() }, errors);
    }
    let installed = cluster.schema(kind).map(|schema| schema.bundle);
    let bundle = installed.or_else(|| plan.config().gateway_bundle.map(Bundle::from));
    errors.missing = bundle.map(|bundle| (bundle.to_string(), channel_fields::missing(kind, json, bundle)));
    (Partial::read(kind, json), errors)
}

/// Checks a manifest as the write that would apply it to a cluster with the object in `live`, or without one. `cluster` is the
/// cluster as it would be with all manifests applied. An Ingress without a class keeps its class in the cluster, or gets the
/// default class.
pub fn check_applied(plan: &Plan, cluster: &Cluster, manifest: AppliedManifest<'_>, live: Option<&str>) -> Outcome {
    let AppliedManifest { this, json, user, now } = manifest;
    let ((mut partial, errors), overlay) = (read(plan, cluster, this.kind, json), Overlay::new(cluster, this));
    let live = live.map(|live| decode(this.kind, live).ok());
    default_class::settle_partial(&mut partial, this.kind, live.as_ref().and_then(Option::as_ref), &overlay);
    let operation = if live.is_some() { Operation::Update } else { Operation::Create };
    let before = live.flatten().map_or(Before::Incomparable, |live| Before::Other(Box::new(live)));
    let write = Write { operation, this, user, now };
    plan.check_applied(&partial, &errors, &before, &overlay, &write).without_silenced()
}

/// Checks the object in `json` that an API server stores at `this` among the objects of `cluster`. Unknown fields are
/// not reported, since the API server may have newer schemas.
pub fn check(plan: &Plan, cluster: &Cluster, this: &ObjectRef, json: &str, now: Timestamp) -> Outcome {
    let (partial, overlay) = (Partial::read(this.kind, json), Overlay::new(cluster, this));
    let write = Write { operation: Operation::Stored, this, user: None, now };
    plan.check_stored(&partial, &ManifestErrors::default(), &overlay, &write)
}
