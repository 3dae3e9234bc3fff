//! What happens to an object while it is looked at.

/// What happens to the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// It is created.
    Create,
    /// It is changed.
    Update,
    /// It goes.
    Delete,
    /// Nothing: it is read from a file or from the cluster.
    Stored,
}
