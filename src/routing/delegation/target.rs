//! Where one delegation leads.

use crate::cluster::delegation_facts::DelegationFacts;
use crate::cluster::{Lookup, Overlay};
use crate::kinds::ObjectRef;

/// What stands where an object delegates to, or includes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'c> {
    /// An object without a host, in the same class: what one delegates to.
    Vertex(&'c DelegationFacts),
    /// A root of the same class, which nobody can delegate to.
    Root(&'c DelegationFacts),
    /// An object of another class, which is as good as none.
    OtherClass(&'c DelegationFacts),
    /// The object itself.
    Itself,
    /// Known to be nothing.
    Missing,
    /// Something or nothing.
    Unknown,
}

impl<'c> Target<'c> {
    /// What stands at `place`, seen from the object under review with the facts `own`.
    pub fn of(own: &DelegationFacts, place: &ObjectRef, cluster: &Overlay<'c>) -> Self {
        if *place == own.place {
            return Self::Itself;
        }
        match cluster.delegation(place) {
            Lookup::Found(other) if other.class != own.class => Self::OtherClass(other),
            Lookup::Found(other) if other.root.is_some() => Self::Root(other),
            Lookup::Found(other) => Self::Vertex(other),
            Lookup::Absent => Self::Missing,
            Lookup::Unknown => Self::Unknown,
        }
    }
}
