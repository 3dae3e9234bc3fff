//! Which failure was logged last, so that one that lasts is logged once.

/// The last failure of something that is tried again and again.
#[derive(Debug, Clone, Default)]
pub struct LastFailure(Option<String>);

impl LastFailure {
    /// Takes in that an attempt failed. Returns whether to log it: whether the attempt before did not fail in the same way.
    #[must_use]
    pub fn record(&mut self, error: &str) -> bool {
        let is_new = self.0.as_deref() != Some(error);
        if is_new {
            self.0 = Some(error.to_owned());
        }
        is_new
    }

    /// Takes in that an attempt succeeded. Returns whether the attempt before failed.
    pub fn clear(&mut self) -> bool {
        self.0.take().is_some()
    }

    /// The failure, unless the last attempt succeeded.
    pub fn current(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_is_new_until_it_is_recorded_and_again_after_a_success() {
        let mut last = LastFailure::default();
        assert!(!last.clear());
        assert_eq!([last.record("refused"), last.record("refused"), last.record("forbidden")], [true, false, true]);
        assert_eq!(last.current(), Some("forbidden"));
        assert!(last.clear());
        assert_eq!(last.current(), None);
        assert!(!last.clear());
        assert!(last.record("forbidden"));
    }
}
