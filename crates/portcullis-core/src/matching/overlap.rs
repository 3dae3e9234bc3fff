//! How certain it is that two Ingresses serve common requests.

/// Whether two Ingresses serve common requests, according to their choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Overlap {
    /// Their choices do not separate them.
    Certain,
    /// The installation of their controller decides.
    Possible,
    /// Their choices separate them.
    None,
}
