//! Which objects a folder knows to be absent: if it contains objects of a kind in a namespace, it is assumed to contain
//! all of them.
//!
//! A ReferenceGrant is in the namespace of the objects to which it allows references, and most namespaces need none. So
//! if a folder contains any ReferenceGrant, it is assumed to contain all those of each namespace of which it contains
//! an object.

use std::collections::{BTreeMap, BTreeSet};

use super::unread::Unread;
use portcullis_core::cluster::{Event, Secrets, SyncState};
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};

/// The kinds and namespaces of which a folder contains objects, or contained some before.
#[derive(Debug)]
pub(super) struct Known {
    /// Whether the folder contains all objects of the cluster.
    complete: bool,
    /// The namespaces with objects, by kind; the empty namespace for cluster-scoped kinds.
    namespaces: BTreeMap<Kind, BTreeSet<Box<str>>>,
    /// The namespaces with Secrets.
    of_secrets: BTreeSet<Box<str>>,
    /// The kinds of which an unread document may contain objects.
    doubted: KindSet,
    /// Whether an unread document may contain a Secret.
    doubts_secrets: bool,
}

impl Known {
    /// The knowledge of a folder that has not been read yet.
    pub(super) fn new(complete: bool) -> Self {
        let (namespaces, of_secrets) = Default::default();
        Self { complete, namespaces, of_secrets, doubted: KindSet::EMPTY, doubts_secrets: false }
    }

    /// Forgets which kinds were in doubt, before the folder is read again.
    pub(super) fn begin(&mut self) {
        (self.doubted, self.doubts_secrets) = (KindSet::EMPTY, false);
    }

    /// Records that the folder contains an object.
    pub(super) fn note(&mut self, object_ref: &ObjectRef) {
        let namespaces = self.namespaces.entry(object_ref.kind).or_default();
        if !namespaces.contains(&*object_ref.namespace) {
            namespaces.insert(object_ref.namespace.as_str().into());
        }
    }

    /// Records a document that is not read.
    pub(super) fn doubt(&mut self, unread: &Unread) {
        self.doubted = self.doubted.union(unread.kinds);
        self.doubts_secrets |= unread.may_be_secret;
    }

    /// Records an object of which only the kind is known.
    pub(super) fn doubt_kind(&mut self, kind: Kind) {
        self.doubted = self.doubted.union(KindSet::of(&[kind]));
    }

    /// Whether an unread document may contain an object of `kind`.
    pub(super) fn doubts(&self, kind: Kind) -> bool {
        self.doubted.contains(kind)
    }

    /// The namespaces of which the folder contains all objects of `kind`; empty if there are none.
    fn covered(&self, kind: Kind) -> BTreeSet<Box<str>> {
        match kind {
            Kind::ReferenceGrant => self.namespaces.values().flatten().cloned().collect(),
            _ => self.namespaces.get(&kind).cloned().unwrap_or_default(),
        }
    }

    /// The events about what is known of each kind and of Secrets, which a view needs in addition to the objects.
    pub(super) fn learned(&mut self, secrets: Secrets) -> Vec<Event> {
        self.of_secrets.extend(secrets.keys().map(|name| name.0.clone()));
        let in_doubt = |is_doubted: bool| (self.complete && !is_doubted, is_doubted);
        let mut events = Vec::new();
        for kind in Kind::ALL {
            let (is_complete, is_doubted) = in_doubt(self.doubted.contains(kind));
            let held = self.namespaces.contains_key(&kind) && !is_complete && !is_doubted;
            let is_known = is_complete || held && !kind.api().namespaced;
            events.push(Event::SyncState(kind, if is_known { SyncState::Complete } else { SyncState::Partial }));
            events.push(Event::Covered(kind, if held { self.covered(kind) } else { BTreeSet::new() }));
        }
        let (are_all, is_doubted) = in_doubt(self.doubts_secrets);
        let covered = if is_doubted { BTreeSet::new() } else { self.of_secrets.clone() };
        events.push(Event::Secrets(secrets, are_all, covered));
        events
    }
}
