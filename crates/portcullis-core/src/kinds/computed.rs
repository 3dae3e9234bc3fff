//! A value that is derived from an object when it is first asked for.

use std::sync::OnceLock;

/// A derived value beside the fields of an object. It takes no part in comparisons of objects.
#[derive(Debug, Clone)]
pub struct Computed<T>(OnceLock<T>);

impl<T> Computed<T> {
    /// The value; `compute` is called once.
    pub fn get_or(&self, compute: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(compute)
    }
}

impl<T> Default for Computed<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> PartialEq for Computed<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Computed<T> {}
