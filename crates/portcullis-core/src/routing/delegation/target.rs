//! Where one delegation leads.

use crate::cluster::delegation_facts::DelegationFacts;

/// What stands where an object delegates to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'c> {
    /// An object without a host, in the same class: what one delegates to.
    Vertex(&'c DelegationFacts),
    /// A root of the same class, which nobody can delegate to.
    Root(&'c DelegationFacts),
    /// An object that names a host which its namespace may not have: nothing comes of it, nor of delegations to it.
    Misplaced(&'c DelegationFacts),
    /// An object of another class, which is as good as none.
    OtherClass(&'c DelegationFacts),
    /// The object itself.
    Itself,
    /// Known to be nothing.
    Missing,
    /// Something or nothing.
    Unknown,
}
