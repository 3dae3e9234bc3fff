//! `object/label-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::schema::ManifestFaults;
use crate::names;
use serde_json::Value;

pub static CHECK: Check = Check {
    id: "object/label-malformed",
    page: include_str!("label_malformed.md"),
    run: Run::Manifest(check),
    ..Check::shape(Actions::DENY)
};

/// The most bytes of all annotations of an object, keys and values together.
const ANNOTATIONS: usize = 256 * 1024;

fn check(manifest: &ManifestFaults, _: &Context<'_>, found: &mut Findings<'_>) {
    for (key, value) in entries(manifest, "labels") {
        let at = At::field("metadata.labels").key(key);
        if !names::is_qualified_name(key) {
            found.invalid(at, key, "`{}` is not a valid label key, such as `team` or `example.com/team`");
        } else if !names::is_label_value(value) {
            let sentence = "`{}` is not a valid label value: at most 63 letters, digits, `-`, `_` and `.`";
            found.invalid(at, value, sentence);
        }
    }
    let mut bytes = 0;
    for (key, value) in entries(manifest, "annotations") {
        bytes += key.len() + value.len();
        if !names::is_qualified_name(&key.to_lowercase()) {
            let sentence = "`{}` is not a valid annotation key, such as `example.com/note`";
            found.invalid(At::field("metadata.annotations").key(key), key, sentence);
        }
    }
    if bytes > ANNOTATIONS {
        let sentence = "annotations have {} bytes; at most 262144 are allowed";
        found.too_long(At::field("metadata.annotations"), &bytes.to_string(), sentence);
    }
}

/// The texts of a map in the metadata, by key.
fn entries<'m>(manifest: &'m ManifestFaults, field: &str) -> impl Iterator<Item = (&'m str, &'m str)> {
    let map = manifest.metadata.get(field).and_then(Value::as_object);
    map.into_iter().flatten().map(|(key, value)| (&**key, value.as_str().unwrap_or_default()))
}
