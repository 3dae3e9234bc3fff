//! A second receiver of what the watches deliver, for a part of the process that needs whole objects. The view keeps only what
//! the checks need.

use super::served::ServedKinds;
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};

/// Receives the objects of some kinds as JSON, each after the view contains it. Called by the tasks of the watches, so it must
/// return at once.
pub trait ObjectObserver: std::fmt::Debug + Send + Sync {
    /// The kinds whose objects are passed on.
    fn kinds(&self) -> KindSet;

    /// An object was created or changed, or is in the list that has begun.
    fn applied(&self, object_ref: ObjectRef, json: &str);

    /// An object was deleted.
    fn deleted(&self, object_ref: ObjectRef);

    /// A complete list of a kind begins.
    fn list_begins(&self, kind: Kind);

    /// A complete list of a kind has ended: objects of the kind that are not in it do not exist.
    fn list_ends(&self, kind: Kind);

    /// Nothing is known of the objects of a kind any more.
    fn forgotten(&self, kind: Kind);

    /// The API server serves other kinds, versions or schemas than before.
    fn served(&self, served: &ServedKinds);
}
