//! The elements of a ReferenceGrant.

use crate::field::At;
use crate::kinds::reference_grant::{GrantFrom, GrantTo, ReferenceGrant};

/// Each entry of `from`: the objects that may refer.
pub fn from<'g, 'a>(grant: &'g ReferenceGrant<'a>) -> impl Iterator<Item = (At, &'g GrantFrom<'a>)> + Clone {
    let from = grant.spec.from.iter().enumerate();
    from.map(|(index, from)| (At::element("spec.from[]", [index]), from))
}

/// Each entry of `to`: the objects that may be referred to.
pub fn to<'g, 'a>(grant: &'g ReferenceGrant<'a>) -> impl Iterator<Item = (At, &'g GrantTo<'a>)> + Clone {
    let to = grant.spec.to.iter().enumerate();
    to.map(|(index, to)| (At::element("spec.to[]", [index]), to))
}

/// The group and the kind of each entry of both lists.
pub fn kinds<'g>(grant: &'g ReferenceGrant<'_>) -> impl Iterator<Item = (At, Option<&'g str>, &'g str)> {
    let from = from(grant).map(|(at, from)| (at, from.group.as_deref(), &*from.kind));
    let to = to(grant).map(|(at, to)| (at, to.group.as_deref(), &*to.kind));
    from.chain(to)
}
