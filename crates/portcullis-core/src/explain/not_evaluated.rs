//! The annotations of an object that ask for something which explain does not evaluate.

use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::kinds::Entries;
use crate::matching::alias::Alias;
use crate::matching::annotation_effect::{EFFECTS, Effect, GROUP_ORDER, INGRESS_ORDER, PRIORITY};
use crate::matching::annotation_table::{self, AnnotationRow};
use crate::matching::controller::Controller::Contour;
use crate::matching::controller::ControllerTraits;
use crate::matching::{Readers, listener_choice};
use crate::names::{domain_of_key, glob};

/// The annotations of known controllers, by the domain of their keys.
static BY_DOMAIN: LazyLock<HashMap<String, Vec<AnnotationRow>>> = LazyLock::new(|| {
    let mut rows: HashMap<String, Vec<AnnotationRow>> = HashMap::new();
    for row in annotation_table::all().into_iter().filter(|row| !row.readers.is_empty()) {
        rows.entry(domain_of_key(&row.key).to_owned()).or_default().push(row);
    }
    rows
});

/// The domain whose annotations belong to Kubernetes, but for those of single controllers.
const SHARED_DOMAIN: &str = "kubernetes.io/";

/// The domain of the annotations of Contour, of which no other table has one.
const CONTOUR_DOMAIN: &str = "projectcontour.io/";

/// Whether explain evaluates an annotation with this key in full.
fn is_evaluated(key: &str) -> bool {
    let is_path_regex = || {
        let mut rows = EFFECTS.iter().filter(|row| row.effect == Effect::PathRegex && glob(row.key, key));
        // A rewrite is more than the interpretation of paths that it implies.
        rows.next().is_some() && !key.ends_with("/rewrite-target")
    };
    let is_group = || ControllerTraits::groups().any(|(group, _)| group == key);
    let is_listener = || listener_choice::keys().any(|(listener, _)| listener == key);
    let is_order = matches!(key, GROUP_ORDER | INGRESS_ORDER | PRIORITY);
    key.ends_with("/ingress.class")
        || is_order
        || is_path_regex()
        || is_group()
        || is_listener()
        || Alias::adds_hosts(key)
}

/// The annotations in `annotations` that a controller reads, as far as it is known which one does, and that explain does
/// not evaluate, each as text.
pub(super) fn annotations(annotations: &Entries<'_>, readers: Readers) -> Vec<String> {
    let may_read = |row: &AnnotationRow| match readers {
        Readers::Only(controller) => row.readers.contains(&controller),
        Readers::Any | Readers::None => true,
    };
    let is_read = |key: &str| {
        let rows = BY_DOMAIN.get(domain_of_key(key)).into_iter().flatten();
        let mut rows = rows.filter(|row| may_read(row));
        rows.any(|row| domain_of_key(key) != SHARED_DOMAIN || glob(&row.key, key))
    };
    let is_of_contour = |key: &str| {
        domain_of_key(key) == CONTOUR_DOMAIN && !matches!(readers, Readers::Only(controller) if controller != Contour)
    };
    let is_named = |key: &&str| (is_read(key) || is_of_contour(key)) && !is_evaluated(key);
    let named = annotations.iter().map(|(key, _)| key).filter(is_named);
    named.map(|key| format!("annotation {key}")).collect()
}
