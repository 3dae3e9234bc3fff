//! Whether a ReferenceGrant allows an object in one namespace to refer to an object in another.

use crate::cluster::gateway_facts::GrantFacts;
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
    let mut grants = cluster.grants(to.namespace, from.namespace);
    match grants.find(|grant| grants_it(grant, from, to)) {
        Some(grant) => Lookup::Found(grant),
        None if cluster.knows(Kind::ReferenceGrant, to.namespace) => Lookup::Absent,
        None => Lookup::Unknown,
    }
}

/// Whether one of the grant's `from` entries is `from` and one of its `to` entries is `to`. A `to` entry without a name
/// covers all objects of its kind.
pub fn grants_it(grant: &GrantFacts, from: Referrer<'_>, to: Referent<'_>) -> bool {
    let api = from.kind.api();
    let is_from = |(group, kind, namespace): &(Box<str>, Box<str>, Box<str>)| {
        **group == *api.group && **kind == *api.kind && **namespace == *from.namespace
    };
    let is_to = |(group, kind, name): &(Box<str>, Box<str>, Option<Box<str>>)| {
        **group == *to.group && **kind == *to.kind && name.as_deref().is_none_or(|name| name == to.name)
    };
    *grant.object_ref.namespace == *to.namespace && grant.from.iter().any(is_from) && grant.to.iter().any(is_to)
}
