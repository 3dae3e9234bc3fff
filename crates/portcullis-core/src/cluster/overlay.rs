//! The cluster as if the write had happened: the view without the stored object under review, whose new state the
//! caller has. That object is identified by kind, namespace and name, never by UID.
//!
//! Nothing is cloned. In a review, a [`Trace`] records the kinds that the answers depend on and the number of objects
//! that were looked at.

mod delegations;
mod gateways;
mod host_claims;
mod ingresses;

use jiff::Timestamp;

pub use host_claims::NAMING;

use super::config_map_facts::{ConfigMapFacts, ROOT_AUTHORITY};
use super::hosts::KINDS;
use super::read_objects::{ReadFacts, ReadFailure, ReadObject};
use super::reads::{ReadKey, Reads};
use super::route_claim::RouteClaim;
use super::route_index::FirstRoute;
use super::trace::Trace;
use super::{Cluster, IssuedCertificateFacts, Lookup, NamespaceFacts, SecretFacts, ServiceFacts, SyncState};
use crate::bundle::{Bundle, InstalledSchema};
use crate::finding::Suggestion;
use crate::kinds::{Kind, KindSet, ObjectRef};
use crate::matching::Host;

/// The rest of the cluster from the perspective of one object.
#[derive(Debug, Clone, Copy)]
pub struct Overlay<'c> {
    cluster: &'c Cluster,
    /// Admitted objects that `cluster` does not show yet.
    reserved: Option<&'c Cluster>,
    this: &'c ObjectRef,
    /// The bundle that is assumed for every CRD without a version annotation.
    bundle: Bundle,
    /// Whether CRDs that are newer than the newest known bundle count as being of that bundle.
    is_capped: bool,
    /// Records what a review reads. Outside of a review it is `None`.
    trace: Option<&'c Trace>,
    /// Records which parts of the view are read. In a review it is `None`.
    recorded: Option<&'c Reads>,
}

impl<'c> Overlay<'c> {
    /// Returns the view from the perspective of the object at `this`.
    pub fn new(cluster: &'c Cluster, this: &'c ObjectRef) -> Self {
        Self { cluster, reserved: None, this, bundle: Bundle::NEWEST, is_capped: false, trace: None, recorded: None }
    }

    /// Returns the view of all objects, from the perspective of none of them.
    pub fn of_all(cluster: &'c Cluster) -> Self {
        static NO_OBJECT: ObjectRef =
            ObjectRef { kind: Kind::Namespace, namespace: String::new(), name: String::new() };
        Self::new(cluster, &NO_OBJECT)
    }

    /// Returns the view with the claims of `reserved`, whose objects have been admitted but are not shown yet.
    pub fn with_reserved(self, reserved: &'c Cluster) -> Self {
        Self { reserved: Some(reserved), ..self }
    }

    /// Returns the view with `bundle` assumed for every CRD without a version annotation.
    pub fn assuming(self, bundle: Bundle) -> Self {
        Self { bundle, ..self }
    }

    /// Returns the view in which no CRD is newer than the newest known bundle, so that every value is either a known one
    /// or not supported.
    pub fn with_known_schemas(self) -> Self {
        Self { is_capped: true, ..self }
    }

    /// Returns the view for a review that records its reads in `trace`.
    pub fn traced(self, trace: &'c Trace) -> Self {
        Self { trace: Some(trace), ..self }
    }

    /// Returns the view for a computation that records in `reads` which parts it depends on.
    pub fn recording(self, reads: &'c Reads) -> Self {
        Self { recorded: Some(reads), ..self }
    }

    /// The views that are searched for claims of other objects.
    pub(super) fn views(&self) -> impl Iterator<Item = &'c Cluster> + use<'c> {
        [self.cluster].into_iter().chain(self.reserved)
    }

    /// The reference to the object under review.
    pub fn this(&self) -> &'c ObjectRef {
        self.this
    }

    /// The number of paths and matches of the other objects of the namespace of the object under review, and of its stored
    /// state.
    pub fn namespace_entries(&self) -> (usize, usize) {
        let (namespace, stored) = (&*self.this.namespace, self.cluster.entries_of(self.this));
        let others = self.cluster.namespace_entries(namespace).saturating_sub(stored);
        let reserved = self.reserved.into_iter().flat_map(|reserved| reserved.entry_holders(namespace));
        let added =
            |(object_ref, entries): (&ObjectRef, usize)| entries.saturating_sub(self.cluster.entries_of(object_ref));
        (others + reserved.filter(|(object_ref, _)| !self.is_this(object_ref)).map(added).sum::<usize>(), stored)
    }

    /// The kinds among `kinds` whose first list has not arrived.
    pub fn not_synced(&self, kinds: KindSet) -> KindSet {
        if kinds.is_empty() {
            return KindSet::EMPTY;
        }
        self.known_as(&[SyncState::NotSynced], kinds)
    }

    /// The kinds among `kinds` that Portcullis may not read, or whose objects were forgotten.
    pub fn unreadable(&self, kinds: KindSet) -> KindSet {
        self.known_as(&[SyncState::Forbidden, SyncState::Stale], kinds)
    }

    fn known_as(&self, states: &[SyncState], kinds: KindSet) -> KindSet {
        kinds.iter().filter(|kind| states.contains(&self.cluster.knowledge(*kind))).collect()
    }

    /// The Service with this namespace and name.
    pub fn service(&self, namespace: &str, name: &str) -> Lookup<&'c ServiceFacts> {
        self.reads(Kind::Service);
        self.depends_on_object(Kind::Service, namespace, name);
        self.cluster.answer(Kind::Service, namespace, self.cluster.services.get(namespace, name))
    }

    /// The Secret with this namespace and name, if it is in a file or, for a status, if it was read by its name. A check only knows
    /// those in files, so this look-up records no dependency that a review could wait for.
    pub fn secret(&self, namespace: &str, name: &str) -> Lookup<&'c SecretFacts> {
        let key = || ReadKey::Secret((namespace.into(), name.into()));
        self.or_read(self.cluster.secrets.get(namespace, name), key, |facts| match facts {
            ReadFacts::Secret(facts) => Some(facts),
            ReadFacts::ConfigMap(_) => None,
        })
    }

    /// Whether a Secret for TLS is absent from files that would hold it: most repositories leave such Secrets out.
    pub fn lacks_tls_secret(&self, namespace: &str, name: &str) -> bool {
        self.cluster.holds_tls_secrets && self.secret(namespace, name) == Lookup::Absent
    }

    /// Whether no Certificate is known, which spares most clusters the look-ups.
    pub fn has_no_certificate(&self) -> bool {
        self.reads(Kind::Certificate);
        self.cluster.certificates.count() == 0
    }

    /// The Certificates whose certificate is in the Secret with this namespace and name, ordered by name.
    pub fn certificates_of(&self, namespace: &str, secret: &str) -> impl Iterator<Item = &'c IssuedCertificateFacts> {
        self.reads(Kind::Certificate);
        self.cluster.certificates.of_secret(namespace, secret)
    }

    /// The settings in the ConfigMaps of controllers, each as keys and values, if they are in files.
    pub fn controller_settings(&self) -> impl Iterator<Item = &'c [(Box<str>, Box<str>)]> {
        self.cluster.config_maps.values().map(|facts| &*facts.settings).filter(|settings| !settings.is_empty())
    }

    /// The ConfigMap with this namespace and name, if it is in a file or, for a status, if it was read by its name.
    pub fn config_map(&self, namespace: &str, name: &str) -> Lookup<&'c ConfigMapFacts> {
        let in_files = match self.cluster.config_maps.get(namespace, name) {
            Lookup::Absent if name == ROOT_AUTHORITY => Lookup::Unknown,
            answer => answer,
        };
        let key = || ReadKey::ConfigMap((namespace.into(), name.into()));
        self.or_read(in_files, key, |facts| match facts {
            ReadFacts::ConfigMap(facts) => Some(facts),
            ReadFacts::Secret(_) => None,
        })
    }

    /// The result for an object that may not be known from files: what reading it by its name has shown, if a status asks for it.
    fn or_read<T>(
        &self,
        in_files: Lookup<&'c T>,
        key: impl FnOnce() -> ReadKey,
        part: impl FnOnce(&'c ReadFacts) -> Option<&'c T>,
    ) -> Lookup<&'c T> {
        let (Lookup::Unknown, Some(reads)) = (in_files, self.recorded) else { return in_files };
        let key = key();
        let read = self.cluster.read_objects.get(&key);
        reads.record(key);
        match read {
            Some(ReadObject::Found(facts)) => part(facts).map_or(Lookup::Unknown, Lookup::Found),
            Some(ReadObject::Absent) => Lookup::Absent,
            Some(ReadObject::Unreadable(_)) | None => Lookup::Unknown,
        }
    }

    /// Why a Secret or a ConfigMap could not be read by its name.
    pub fn read_failure(&self, key: &ReadKey) -> Option<ReadFailure> {
        match self.cluster.read_objects.get(key) {
            Some(ReadObject::Unreadable(failure)) => Some(*failure),
            _ => None,
        }
    }

    /// The Namespace of this name.
    pub fn namespace(&self, name: &str) -> Lookup<&'c NamespaceFacts> {
        self.reads(Kind::Namespace);
        self.depends_on_object(Kind::Namespace, "", name);
        self.cluster.answer(Kind::Namespace, "", self.cluster.namespaces.get(name))
    }

    /// The classes of the view, and those of the reserved objects that the view does not show yet.
    fn with_reserved_classes<T: 'c, I: Iterator<Item = &'c T>>(
        &self,
        classes: impl Fn(&'c Cluster) -> I,
        name: impl Fn(&T) -> &str,
    ) -> impl Iterator<Item = &'c T> {
        let shown: Vec<_> = classes(self.cluster).collect();
        let reserved = self.reserved.into_iter().flat_map(classes);
        let unseen: Vec<_> = reserved.filter(|class| shown.iter().all(|shown| name(shown) != name(class))).collect();
        shown.into_iter().chain(unseen)
    }

    /// The objects outside the namespace `own` that name exactly this host, of the kinds that are installed as CRDs:
    /// Gateways, ListenerSets, routes, then roots of a delegation, each kind ordered by reference.
    pub fn with_host_outside_namespace(&self, host: &Host<'_>, own: &str) -> impl Iterator<Item = &'c ObjectRef> {
        KINDS.into_iter().for_each(|kind| self.reads(kind));
        self.views().flat_map(move |view| view.hosts.outside_namespace(host, own))
    }

    /// The objects of `kind` outside the namespace `own` that name exactly this host, ordered by reference.
    pub fn naming_outside_namespace(
        &self,
        kind: Kind,
        host: &Host<'_>,
        own: &str,
    ) -> impl Iterator<Item = &'c ObjectRef> {
        self.reads(kind);
        self.views().flat_map(move |view| view.hosts.of_kind_outside(kind, host, own))
    }

    /// The objects of `kind` that name exactly this host, including the stored state of the object under review.
    pub fn stored_naming(&self, kind: Kind, host: &Host<'_>) -> impl Iterator<Item = &'c ObjectRef> {
        self.reads(kind);
        self.views().flat_map(move |view| view.hosts.of_kind(kind, host, ""))
    }

    /// The routes of `kind` that name exactly this host, including the stored state of the object under review. Of routes
    /// that no comparison distinguishes, only the oldest is returned.
    pub fn stored_routes_naming(&self, kind: Kind, host: &Host<'_>) -> Vec<FirstRoute<'c>> {
        self.reads(kind);
        let claim = RouteClaim::host(host);
        self.views().flat_map(|view| view.gateways.routes_with_claim(kind, None, claim, |_| true)).collect()
    }

    /// Whether the object at `object_ref` is cut: it exists, but its content is unknown, because its namespace has too many
    /// entries.
    pub fn is_cut(&self, object_ref: &ObjectRef) -> bool {
        self.cluster.is_cut(object_ref)
    }

    /// Whether an object of `namespace` is cut.
    pub fn has_cut_in(&self, namespace: &str) -> bool {
        self.cluster.entries.has_cut_in(namespace)
    }

    /// Whether an object of `namespace` that is cut may be as old as one that was created at `created`.
    pub fn has_cut_before(&self, namespace: &str, created: Option<Timestamp>) -> bool {
        let may_be_older = |cut: Option<Timestamp>| created.is_none_or(|created| cut.is_some_and(|cut| cut <= created));
        self.has_cut_in(namespace)
            && self.cluster.entries.cut_by_age().any(|(cut, own)| own.namespace == namespace && may_be_older(cut))
    }

    /// The creation times and references of the objects of `kinds` that are cut, unordered.
    pub fn cut_by_age(&self, kinds: &[Kind]) -> impl Iterator<Item = (Option<Timestamp>, &'c ObjectRef)> {
        let has_cut = kinds.iter().any(|kind| self.cluster.cut_objects(*kind) > 0);
        let all = has_cut.then(|| self.cluster.entries.cut_by_age()).into_iter().flatten();
        all.filter(|(_, object_ref)| kinds.contains(&object_ref.kind))
    }

    /// The installed schema of `kind`, or the assumed one. It says whether the API server validates an object against
    /// it before the review.
    pub fn schema(&self, kind: Kind) -> InstalledSchema {
        let mut schema = self.cluster.schema(kind).unwrap_or(InstalledSchema::assumed(self.bundle));
        if self.is_capped {
            schema.bundle.release = schema.bundle.release.min(Bundle::NEWEST.release);
        }
        schema
    }

    /// Whether a CRD of `kind` is known, so that its schema is not assumed.
    pub fn is_schema_reported(&self, kind: Kind) -> bool {
        self.cluster.schema(kind).is_some()
    }

    /// The existing name that is most similar to the name of `absent`, which does not exist; `None` if no name is
    /// similar enough, or if the check has used up its suggestions. A name in another namespace is marked as
    /// redactable, since not every user may see it.
    pub fn similar(&self, absent: &ObjectRef) -> Option<Suggestion> {
        if !self.trace.is_none_or(Trace::take_suggestion) {
            return None;
        }
        let is_redactable = !absent.namespace.is_empty() && absent.namespace != self.this.namespace;
        let elsewhere = || {
            let namespace = self.cluster.similar_namespace(absent).filter(|_| is_redactable)?;
            Some(format!("{namespace}/{}", absent.name))
        };
        let name = self.cluster.similar(absent).map(str::to_owned).or_else(elsewhere)?;
        Some(Suggestion { name, is_redactable })
    }

    /// Whether every object of `kind` is known with its content.
    pub fn is_complete(&self, kind: Kind) -> bool {
        self.reads(kind);
        self.cluster.knowledge(kind) == SyncState::Complete && self.cluster.cut_objects(kind) == 0
    }

    /// Whether every object of `kind` in `namespace` is known.
    pub fn knows(&self, kind: Kind, namespace: &str) -> bool {
        self.reads(kind);
        self.cluster.knows(kind, namespace)
    }

    /// Returns the answer of `question` and the kinds that it depends on, so that a caller that reuses the answer can
    /// [record](Self::record) them again.
    pub fn dependencies_of<T>(&self, question: impl FnOnce() -> T) -> (T, KindSet) {
        match self.trace {
            Some(trace) => trace.dependencies.of(question),
            None => (question(), KindSet::EMPTY),
        }
    }

    /// Records that the findings of the running check depend on `kinds`.
    pub fn record(&self, kinds: KindSet) {
        if let Some(trace) = self.trace {
            trace.dependencies.record(kinds);
        }
    }

    pub(super) fn reads(&self, kind: Kind) {
        if let Some(trace) = self.trace {
            trace.look_up();
        }
        self.record(KindSet::of(&[kind]));
    }

    /// Records that an answer depends on a part of the view.
    fn depends_on(&self, key: impl FnOnce() -> ReadKey) {
        if let Some(reads) = self.recorded {
            reads.record(key());
        }
    }

    /// Records that an answer depends on one object.
    fn depends_on_object(&self, kind: Kind, namespace: &str, name: &str) {
        self.depends_on(|| ReadKey::Object(ObjectRef::new(kind, namespace, name)));
    }

    pub(super) fn is_this(&self, object_ref: &ObjectRef) -> bool {
        self.this == object_ref
    }
}
