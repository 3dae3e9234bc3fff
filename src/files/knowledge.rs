//! What a folder knows to be absent: where it holds objects of a kind in a namespace, it is taken to hold all of them.
//!
//! ReferenceGrants stand beside what they open, and most namespaces need none: a folder that holds some at all is taken to hold all those of
//! each namespace of which it holds anything.

use std::collections::{BTreeMap, BTreeSet};

use super::unread::Unread;
use portcullis_core::cluster::{Event, Secrets, SyncState};
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};

/// The kinds and namespaces of which a folder holds objects, or held some before.
#[derive(Debug)]
pub(super) struct Known {
    /// Whether it holds all that there is.
    complete: bool,
    /// The namespaces with objects, by kind; for kinds without namespaces the empty one.
    namespaces: BTreeMap<Kind, BTreeSet<Box<str>>>,
    /// The namespaces with Secrets.
    of_secrets: BTreeSet<Box<str>>,
    /// The kinds of which something may be there that is not read.
    doubted: KindSet,
    /// Whether a Secret may be there that is not read.
    doubts_secrets: bool,
}

impl Known {
    /// Of a folder that was not read yet.
    pub(super) fn new(complete: bool) -> Self {
        let (namespaces, of_secrets) = Default::default();
        Self { complete, namespaces, of_secrets, doubted: KindSet::EMPTY, doubts_secrets: false }
    }

    /// Forgets what was in doubt before the folder is read again.
    pub(super) fn begin(&mut self) {
        (self.doubted, self.doubts_secrets) = (KindSet::EMPTY, false);
    }

    /// Notes an object.
    pub(super) fn note(&mut self, object_ref: &ObjectRef) {
        let namespaces = self.namespaces.entry(object_ref.kind).or_default();
        if !namespaces.contains(&*object_ref.namespace) {
            namespaces.insert(object_ref.namespace.as_str().into());
        }
    }

    /// Notes something that is not read.
    pub(super) fn doubt(&mut self, unread: &Unread) {
        self.doubted = self.doubted.union(unread.kinds);
        self.doubts_secrets |= unread.may_be_secret;
    }

    /// Notes an object of which nothing is known but its kind.
    pub(super) fn doubt_kind(&mut self, kind: Kind) {
        self.doubted = self.doubted.union(KindSet::of(&[kind]));
    }

    /// Whether something of `kind` may be there that is not read.
    pub(super) fn doubts(&self, kind: Kind) -> bool {
        self.doubted.contains(kind)
    }

    /// The namespaces of which all objects of `kind` are held, if any are.
    fn covered(&self, kind: Kind) -> BTreeSet<Box<str>> {
        match kind {
            Kind::ReferenceGrant => self.namespaces.values().flatten().cloned().collect(),
            _ => self.namespaces.get(&kind).cloned().unwrap_or_default(),
        }
    }

    /// What a view learns, beside the objects.
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
