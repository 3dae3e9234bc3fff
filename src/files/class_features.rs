//! A file with GatewayClasses whose status says which features their controllers support.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::read::{parse, read_text};
use portcullis_core::cluster::gateway_facts::GatewayClassFacts;
use portcullis_core::kinds::{Object, ObjectRef};

/// The GatewayClasses in a file that list features. Fails if the file is not readable.
pub fn read_class_features(file: &Path) -> io::Result<BTreeMap<ObjectRef, GatewayClassFacts>> {
    let text = read_text(file)?.unwrap_or_default();
    let contents = parse(file, &text);
    let classes = contents.manifests.iter().filter_map(|manifest| match manifest.object() {
        Ok(Object::GatewayClass(class)) => Some((manifest.object_ref.clone(), GatewayClassFacts::of(&class))),
        Ok(_) | Err(_) => None,
    });
    Ok(classes.filter(|(_, class)| !class.supported_features.is_empty()).collect())
}
