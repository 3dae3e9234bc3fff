//! Which objects a folder knows to be absent: if it contains objects of a kind in a namespace, it is assumed to contain
//! all of them, unless most of the Services to which objects refer are missing.
//!
//! A ReferenceGrant is in the namespace of the objects to which it allows references, and most namespaces need none. So
//! if a folder contains any ReferenceGrant, it is assumed to contain all those of each namespace of which it contains
//! an object. If it contains none, it is assumed to contain those of the namespaces of its Services, unless a tool sets the namespace
//! of some of its objects.

use std::collections::{BTreeMap, BTreeSet};

use super::creators::Created;
use super::unread::Unread;
use portcullis_core::cluster::{ConfigMapFacts, Event, Name, OfflineObjects, SecretFacts, SyncState};
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};

/// The kinds and namespaces of which a folder contains objects, or contained some before.
#[derive(Debug)]
pub(super) struct Known {
    /// The kinds of which the folder contains all objects of the cluster.
    complete: KindSet,
    /// The namespaces with objects, by kind; the empty namespace for cluster-scoped kinds.
    namespaces: BTreeMap<Kind, BTreeSet<Box<str>>>,
    secrets: KnownOffline,
    config_maps: KnownOffline,
    /// The kinds of which an unread document may contain objects.
    doubted: KindSet,
    /// The namespaces with an object of which nothing is known, by kind.
    doubted_in: BTreeMap<Kind, BTreeSet<Box<str>>>,
    /// Whether an object names no namespace, so that a tool may put it into any.
    lacks_namespace: bool,
}

/// What is known of a kind that only files contain.
#[derive(Debug, Default)]
struct KnownOffline {
    /// The namespaces with objects.
    namespaces: BTreeSet<Box<str>>,
    /// Whether an unread document may contain an object.
    is_doubted: bool,
    /// The namespaces in which a controller creates objects.
    created_in: BTreeSet<Box<str>>,
}

/// The objects of a kind that only files contain.
#[derive(Debug)]
pub(super) struct Held<T> {
    /// Those of the folder.
    pub own: Vec<(Name, T)>,
    /// Those of folders above, the nearest first, which say nothing about others.
    pub above: Vec<(Name, T)>,
}

impl KnownOffline {
    /// The objects of a folder, which is `complete` if it contains all objects of the cluster.
    fn learned<T>(&mut self, Held { own, above }: Held<T>, complete: bool) -> OfflineObjects<T> {
        self.namespaces.extend(own.iter().map(|((namespace, _), _)| namespace.clone()));
        // Of two objects with one name, the last counts.
        let objects = above.into_iter().rev().chain(own);
        match (self.is_doubted, complete) {
            (true, _) => OfflineObjects::of_namespaces(objects, BTreeSet::new()),
            (false, true) => OfflineObjects::all(objects),
            (false, false) => {
                let covered = self.namespaces.difference(&self.created_in).cloned().collect();
                OfflineObjects::of_namespaces(objects, covered)
            }
        }
    }
}

impl Known {
    /// The knowledge of a folder that has not been read yet.
    pub(super) fn new(complete: KindSet) -> Self {
        let (namespaces, secrets, config_maps, doubted_in) = Default::default();
        let (doubted, lacks_namespace) = (KindSet::EMPTY, false);
        Self { complete, namespaces, secrets, config_maps, doubted, doubted_in, lacks_namespace }
    }

    /// Forgets which kinds were in doubt, before the folder is read again.
    pub(super) fn begin(&mut self) {
        self.doubted = KindSet::EMPTY;
        (self.secrets.is_doubted, self.config_maps.is_doubted) = (false, false);
        self.doubted_in.clear();
        self.secrets.created_in.clear();
        self.config_maps.created_in.clear();
    }

    /// Records whether an object names no namespace.
    pub(super) fn note_lacking(&mut self, lacks_namespace: bool) {
        self.lacks_namespace = lacks_namespace;
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
        self.secrets.is_doubted |= unread.offline.secret;
        self.config_maps.is_doubted |= unread.offline.config_map;
    }

    /// Records an object of which only the kind is known.
    pub(super) fn doubt_kind(&mut self, kind: Kind) {
        self.doubted = self.doubted.union(KindSet::of(&[kind]));
    }

    /// Records an object of which nothing but its existence is known.
    pub(super) fn doubt_object(&mut self, object_ref: &ObjectRef) {
        self.doubted_in.entry(object_ref.kind).or_default().insert(object_ref.namespace.as_str().into());
    }

    /// Records that the folder lacks Services of this namespace, unless it contains all objects of the cluster.
    pub(super) fn doubt_services(&mut self, namespace: Box<str>) {
        if !self.is_complete() {
            self.doubted_in.entry(Kind::Service).or_default().insert(namespace);
        }
    }

    /// Records what a controller creates, unless the folder contains all objects anyway.
    pub(super) fn note_created(&mut self, created: &Created) {
        if self.complete == KindSet::EVERY {
            return;
        }
        match &created.namespace {
            Some(namespace) => {
                if created.services {
                    self.doubted_in.entry(Kind::Service).or_default().insert(namespace.clone());
                    self.config_maps.created_in.insert(namespace.clone());
                }
                if created.secrets {
                    self.secrets.created_in.insert(namespace.clone());
                }
            }
            None => {
                if created.services {
                    self.doubt_kind(Kind::Service);
                }
                self.config_maps.is_doubted |= created.services;
                self.secrets.is_doubted |= created.secrets;
            }
        }
    }

    /// Whether the folder contains all objects of the cluster.
    pub(super) fn is_complete(&self) -> bool {
        self.complete == KindSet::EVERY
    }

    /// Whether an unread document may contain an object of `kind`.
    pub(super) fn doubts(&self, kind: Kind) -> bool {
        self.doubted.contains(kind)
    }

    /// The namespaces of which the folder contains all objects of `kind`; empty if there are none.
    fn covered(&self, kind: Kind) -> BTreeSet<Box<str>> {
        let held: BTreeSet<Box<str>> = match kind {
            Kind::ReferenceGrant if self.namespaces.contains_key(&kind) => {
                self.namespaces.values().flatten().cloned().collect()
            }
            Kind::ReferenceGrant if self.lacks_namespace => BTreeSet::new(),
            Kind::ReferenceGrant => self.covered(Kind::Service),
            _ => self.namespaces.get(&kind).cloned().unwrap_or_default(),
        };
        match self.doubted_in.get(&kind) {
            Some(doubted) => held.difference(doubted).cloned().collect(),
            None => held,
        }
    }

    /// The events about what is known of each kind, of Secrets and of ConfigMaps, which a view needs in addition to the
    /// objects.
    pub(super) fn learned(&mut self, secrets: Held<SecretFacts>, config_maps: Held<ConfigMapFacts>) -> Vec<Event> {
        let mut events = Vec::new();
        for kind in Kind::ALL {
            let is_doubted = self.doubted.contains(kind);
            let is_complete = self.complete.contains(kind) && !is_doubted;
            let may_hold = self.namespaces.contains_key(&kind) || kind == Kind::ReferenceGrant;
            let held = may_hold && !is_complete && !is_doubted;
            // HostClaims for other hosts may be in other files.
            let is_whole = !kind.api().namespaced && kind != Kind::HostClaim;
            let is_known = is_complete || held && is_whole && !self.doubted_in.contains_key(&kind);
            events.push(Event::SyncState(kind, if is_known { SyncState::Complete } else { SyncState::Partial }));
            events.push(Event::Covered(kind, if held { self.covered(kind) } else { BTreeSet::new() }));
        }
        // Few repositories contain Secrets: one without any is assumed to leave them out.
        let is_whole = self.complete == KindSet::EVERY;
        let are_secrets_complete = is_whole && !secrets.own.is_empty();
        events.push(Event::Secrets(self.secrets.learned(secrets, are_secrets_complete)));
        events.push(Event::ConfigMaps(self.config_maps.learned(config_maps, is_whole)));
        events
    }
}
