//! Which of two objects the Gateway API prefers where both cannot have their way.

use std::cmp::Ordering;

use jiff::Timestamp;

use crate::kinds::ObjectRef;

/// Orders two objects by precedence, the preferred one first: the older, then the first by `namespace/name`. One that is yet to be created
/// is the youngest.
pub fn compare(left: (Option<Timestamp>, &ObjectRef), right: (Option<Timestamp>, &ObjectRef)) -> Ordering {
    let age = |(created, _): (Option<Timestamp>, &ObjectRef)| (created.is_none(), created);
    age(left).cmp(&age(right)).then_with(|| text(left.1).cmp(text(right.1)))
}

/// A `/` sorts after a `-`, so the two parts cannot be compared one by one.
fn text(object_ref: &ObjectRef) -> impl Iterator<Item = u8> {
    object_ref.namespace.bytes().chain([b'/']).chain(object_ref.name.bytes())
}
