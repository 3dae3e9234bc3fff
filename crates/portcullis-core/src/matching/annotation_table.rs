//! Every annotation of a controller that Portcullis reads, with its direction. Each row is derived from the table that says what the
//! annotation means.

use super::annotation_effect::EFFECTS;
use super::controller::{Controller, ControllerTraits};
use super::readers::Direction;
use super::{alias, listener_choice};

/// An annotation, and whether and for whom it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotationRow {
    /// The key. A `*` at its start or end, or after the `/`, matches any text.
    pub key: String,
    /// The controllers that read it; empty if it is read regardless of the controller.
    pub readers: Vec<Controller>,
    /// What it does to the findings about its object.
    pub direction: Direction,
}

/// All annotations.
pub fn all() -> Vec<AnnotationRow> {
    let row = |key: &str, readers: &[Controller], direction| AnnotationRow {
        key: key.to_owned(),
        readers: readers.to_vec(),
        direction,
    };
    let effects = EFFECTS.iter().map(|effect| row(effect.key, effect.readers, effect.effect.direction()));
    let separators = listener_choice::keys().map(|(key, readers)| row(key, readers, Direction::Relaxes));
    let aliases = alias::keys().map(|(key, readers)| row(&key, readers, Direction::Widens));
    let groups = ControllerTraits::groups().map(|(key, reader)| row(key, &[reader], Direction::Arranges));
    // Those that suggest a controller that creates a load balancer for each Ingress.
    let suggestions = ControllerTraits::suggestions().map(|(key, reader)| row(key, &[reader], Direction::Relaxes));
    effects.chain(separators).chain(aliases).chain(groups).chain(suggestions).collect()
}
