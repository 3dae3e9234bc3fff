//! Where a location comes from.

/// The field of an Ingress that a location comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// The index of the Ingress in [`Proxy::sources`](super::Proxy::sources).
    pub source: usize,
    /// The field.
    pub field: OriginField,
}

/// A field of an Ingress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OriginField {
    /// A path, by the indexes of its rule and of itself.
    Path([usize; 2]),
    /// The location `/` that the server of a host has, by the index of the first rule with the host.
    Root(usize),
    /// The default backend.
    DefaultBackend,
}
