//! The target of a delegation.

use crate::cluster::delegation_facts::DelegationFacts;

/// The object to which a delegation leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DelegationTarget<'c> {
    /// An object of the same class without a host, which accepts delegations.
    Vertex(&'c DelegationFacts),
    /// A root of the same class, to which no object can delegate.
    Root(&'c DelegationFacts),
    /// An object that names a host although its namespace may not hold roots. It serves no traffic, and delegations to
    /// it fail.
    Misplaced(&'c DelegationFacts),
    /// An object of another class, which counts as missing.
    OtherClass(&'c DelegationFacts),
    /// The object under review itself.
    Itself,
    /// The object is known not to exist.
    Missing,
    /// The object may or may not exist.
    Unknown,
}
