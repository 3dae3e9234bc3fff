//! The operation on an object under review.

/// The operation on an object under review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// The object is created.
    Create,
    /// The object is updated.
    Update,
    /// The object is deleted.
    Delete,
    /// The object already exists, in a file or in the cluster.
    Stored,
}
