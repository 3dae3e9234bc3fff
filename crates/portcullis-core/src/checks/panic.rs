//! A panic that tests can ask for, in builds with debug assertions alone, which no release has.

use crate::kinds::Metadata;

/// The review of an object on which this annotation is `true` panics.
const ANNOTATION: &str = "portcullis.dev/panic";

/// Panics as a check with a fault would, if the annotation asks for it, so that a test can see the program survive it.
pub fn if_requested(metadata: &Metadata<'_>) {
    let requested = metadata.annotations.get(ANNOTATION).is_some_and(|value| &**value == "true");
    assert!(!requested, "as the annotation {ANNOTATION} requests\nin two lines");
}
