//! Every defaulter there is, as data.

/// One mutation.
#[derive(Debug)]
pub struct Defaulter {
    /// `family/what`.
    pub id: &'static str,
}

/// All defaulters, ordered by id.
pub const ALL: &[&Defaulter] = &[];
