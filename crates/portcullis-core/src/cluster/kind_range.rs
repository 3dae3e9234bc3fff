//! The references of one kind in an ordered set, by namespace.

use std::iter;
use std::ops::Bound;
use std::sync::Arc;

use super::small_set::SmallSet;
use crate::kinds::{Kind, ObjectRef};

/// The references of `kind`: first those outside the namespace `own`, then those inside, each part in order.
pub(super) fn of_kind<'p>(
    object_refs: &'p SmallSet<Arc<ObjectRef>>,
    kind: Kind,
    own: &str,
) -> impl Iterator<Item = &'p ObjectRef> {
    let first = |namespace: &str| ObjectRef { kind, namespace: namespace.to_owned(), name: String::new() };
    let from = |start: &ObjectRef| object_refs.range(Bound::Included(start)).map(|object_ref| &**object_ref);
    // No namespace sorts between `own` and `own` followed by a NUL.
    let (inside, behind) = (first(own), first(&format!("{own}\0")));
    let (before, within, after) = (from(&first("")), from(&inside), from(&behind));
    let before = before.take_while(move |object_ref| **object_ref < inside);
    let within = within.take_while(move |object_ref| **object_ref < behind);
    before.chain(after.take_while(move |object_ref| object_ref.kind == kind)).chain(within)
}

/// The references of `kind` outside the namespace `own`: of each namespace the first ones, at most `most`. The others are skipped.
pub(super) fn first_of_namespaces<'p>(
    object_refs: &'p SmallSet<Arc<ObjectRef>>,
    kind: Kind,
    own: &str,
    most: usize,
) -> impl Iterator<Item = &'p ObjectRef> {
    let from = move |namespace: &str| {
        let start = ObjectRef { kind, namespace: namespace.to_owned(), name: String::new() };
        let object_refs = object_refs.range(Bound::Included(&start)).map(|object_ref| &**object_ref);
        object_refs.take_while(move |object_ref: &&ObjectRef| object_ref.kind == kind)
    };
    // No namespace sorts between one and the same followed by a NUL.
    let next = move |object_ref: &&'p ObjectRef| from(&format!("{}\0", object_ref.namespace)).next();
    let first_of_each = iter::successors(from("").next(), next).filter(move |first| first.namespace != own);
    first_of_each.flat_map(move |first| {
        let same = from(&first.namespace).take_while(move |object_ref| object_ref.namespace == first.namespace);
        same.take(most)
    })
}
