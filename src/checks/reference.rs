//! What is malformed in a reference to another object, for the families that hold references.

use crate::field::At;
use crate::finding::Findings;
use crate::kinds::reference::TargetRef;
use crate::names;

/// The most bytes of an object's name.
const LONGEST_NAME: usize = 253;

/// What it means that a reference has no group or kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// The field has a default.
    IsDefault,
    /// They must be given.
    IsMissing,
}

/// Reports each part of `reference`, which stands at `at`, that no object could have.
pub fn malformed(at: At, reference: &TargetRef<'_>, absent: Absent, found: &mut Findings<'_>) {
    match reference.group.as_deref() {
        None if absent == Absent::IsMissing => {
            found.required(at.then("group"), "a reference must give the group; empty for the core group");
        }
        Some(group) if !names::is_group(group) => {
            let sentence = "`{}` is no API group: a lower-case DNS name, or empty";
            found.invalid(at.then("group"), group, sentence);
        }
        _ => {}
    }
    match reference.kind.as_deref() {
        None | Some("") if absent == Absent::IsMissing || reference.kind.is_some() => {
            found.required(at.then("kind"), "a reference must give the kind");
        }
        Some(kind) if !names::is_kind(kind) => {
            found.invalid(at.then("kind"), kind, "`{}` is no kind: letters, digits and `-`, at most 63 bytes");
        }
        _ => {}
    }
    let name = &*reference.name;
    if name.is_empty() {
        found.required(at.then("name"), "a reference must name its object");
    } else if name.chars().count() > LONGEST_NAME {
        let length = name.chars().count().to_string();
        found.too_long(at.then("name"), name, "{} characters are too many; a name has at most 253").shown([length]);
    }
    if let Some(namespace) = reference.namespace.as_deref().filter(|namespace| !names::is_label(namespace)) {
        let sentence = "`{}` is no namespace: a lower-case DNS label of at most 63 bytes";
        found.invalid(at.then("namespace"), namespace, sentence);
    }
}
