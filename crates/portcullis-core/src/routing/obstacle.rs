//! Why something is not served or does not resolve, with the reason of its condition.

/// What keeps a listener from being served, or a reference from resolving, or may do so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// The reason of the condition; `None` if it is not known whether the obstacle exists.
    pub reason: Option<&'static str>,
    /// The explanation.
    pub message: String,
    /// Whether another implementation may support what Portcullis does not.
    pub may_be_supported: bool,
}

impl Obstacle {
    /// An obstacle for every implementation; without a `reason`, it is not known whether it exists.
    pub const fn new(reason: Option<&'static str>, message: String) -> Self {
        Self { reason, message, may_be_supported: false }
    }

    /// An obstacle for every implementation.
    pub const fn because(reason: &'static str, message: String) -> Self {
        Self::new(Some(reason), message)
    }

    /// Something of which it is not known whether it is an obstacle.
    pub const fn unknown(message: String) -> Self {
        Self::new(None, message)
    }

    /// An obstacle for Portcullis, which another implementation may not have.
    pub const fn unsupported(reason: &'static str, message: String) -> Self {
        Self { reason: Some(reason), message, may_be_supported: true }
    }

    /// The same for any implementation: it is not known whether it supports what Portcullis does not.
    pub fn of_any_implementation(self) -> Self {
        Self { reason: self.reason.filter(|_| !self.may_be_supported), ..self }
    }
}
