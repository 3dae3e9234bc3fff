//! The precedence that the Gateway API defines for conflicting objects.

use std::cmp::Ordering;

use jiff::Timestamp;

use crate::kinds::ObjectRef;

/// Orders two objects by precedence, the preferred one first: the older one, then the first by `namespace/name`. An
/// object that has not been created yet is the youngest.
pub fn compare(left: (Option<Timestamp>, &ObjectRef), right: (Option<Timestamp>, &ObjectRef)) -> Ordering {
    let age = |(created, _): (Option<Timestamp>, &ObjectRef)| (created.is_none(), created);
    age(left).cmp(&age(right)).then_with(|| text(left.1).cmp(text(right.1)))
}

/// The API compares the text `namespace/name`. Since `/` sorts after `-`, comparing the parts one by one gives another
/// order.
fn text(object_ref: &ObjectRef) -> impl Iterator<Item = u8> {
    object_ref.namespace.bytes().chain([b'/']).chain(object_ref.name.bytes())
}
