//! Whether a ReferenceGrant allows an object in one namespace to refer to an object in another.

use crate::cluster::gateway_facts::{GrantFacts, Permission};
use crate::cluster::{Lookup, Overlay};
use crate::kinds::Kind;

/// The object that refers, as a grant identifies it.
#[derive(Debug, Clone, Copy)]
pub struct Referrer<'r> {
    /// The kind.
    pub kind: Kind,
    /// The namespace.
    pub namespace: &'r str,
}

/// The object that is referred to, as a grant identifies it.
#[derive(Debug, Clone, Copy)]
pub struct Referent<'r> {
    /// The group; empty for the core group.
    pub group: &'r str,
    /// The kind.
    pub kind: &'r str,
    /// The namespace.
    pub namespace: &'r str,
    /// The name.
    pub name: &'r str,
}

/// The grant that allows `from` to refer to `to`. `Absent` if all grants of the namespace are known and none allows it;
/// `Unknown` if some are not known.
pub fn find<'c>(from: Referrer<'_>, to: Referent<'_>, cluster: &Overlay<'c>) -> Lookup<&'c GrantFacts> {
    let api = from.kind.api();
    let permission =
        |name| Permission { from: (api.group, api.kind, from.namespace), to: (to.group, to.kind, to.namespace), name };
    // An entry without a name covers all objects of its kind.
    let granting = [Some(to.name), None].into_iter().filter_map(|name| cluster.grants(permission(name)).next());
    match granting.min_by_key(|grant| &grant.object_ref) {
        Some(grant) => Lookup::Found(grant),
        None if cluster.knows(Kind::ReferenceGrant, to.namespace) => Lookup::Absent,
        None => Lookup::Unknown,
    }
}
