//! The objects of a folder, of a snapshot or of a live cluster, for the commands that explain requests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::{ArgGroup, Args};
use jiff::Timestamp;

use super::state::StateArgs;
use crate::files::{Folder, Locator, Manifest, Unread, UnreadCause, unevaluated};
use portcullis_core::cluster::{Cluster, Event, Facts, Lookup, Overlay};
use portcullis_core::compare::Written;
use portcullis_core::explain::{Explanation, Scope, Stored};
use portcullis_core::field::FieldPath;
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};
use portcullis_core::names::is_label;
use portcullis_core::report::{self, answer, namespace_not_found};

/// Files, a snapshot, or a live cluster.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("source").required(true).multiple(true).args(["objects", "against", "kubeconfig", "context"]))]
pub(super) struct SourceArgs {
    #[command(flatten)]
    pub(super) state: StateArgs,
    #[command(flatten)]
    pub(super) completeness: CompletenessArgs,
}

/// How much of the cluster files contain, for the commands that say what is served.
#[derive(Debug, Args)]
pub(super) struct CompletenessArgs {
    /// Treat the files as the whole cluster: kinds that they do not contain, except Secrets, have no objects.
    ///
    /// Without it, files contain all that serves requests, but what they refer to may be elsewhere, as for `lint`.
    #[arg(long, requires = "files")]
    pub(super) complete: bool,
}

/// The kinds that serve requests, of which files contain all objects.
const SERVING: KindSet = KindSet::ROUTES.union(KindSet::of(&[
    Kind::Ingress,
    Kind::Gateway,
    Kind::ListenerSet,
    Kind::HttpProxy,
    Kind::IngressRoute,
    Kind::BackendTlsPolicy,
]));

impl CompletenessArgs {
    /// The kinds of which the files contain all objects.
    pub(super) const fn kinds(&self) -> KindSet {
        serving_if(self.complete)
    }
}

/// The kinds of which files contain all objects: every kind if they are complete, and otherwise those that serve requests.
pub(super) const fn serving_if(complete: bool) -> KindSet {
    if complete { KindSet::EVERY } else { SERVING }
}

impl SourceArgs {
    /// The objects. Of a cluster, only those of `kinds`.
    pub(super) fn read(&self, kinds: KindSet) -> anyhow::Result<Source> {
        Source::of(&self.state, self.completeness.kinds(), kinds)
    }
}

/// The kinds that matter only for Gateways, and those that matter only for classes. Neither affects answers of the
/// other.
const OF_GATEWAYS: KindSet =
    KindSet::ROUTES.union(KindSet::of(&[Kind::GatewayClass, Kind::Gateway, Kind::ListenerSet, Kind::ReferenceGrant]));
const OF_CLASSES: KindSet = KindSet::of(&[
    Kind::Ingress,
    Kind::IngressClass,
    Kind::IngressRoute,
    Kind::TlsCertificateDelegation,
    Kind::HttpProxy,
    Kind::ProxyCertificateDelegation,
]);

/// The kinds that matter for every answer, and all kinds that matter for some answer.
const OF_BOTH: KindSet = KindSet::of(&[Kind::Service, Kind::Namespace]);
pub(super) const KINDS: KindSet = OF_BOTH.union(OF_GATEWAYS).union(OF_CLASSES);

/// The objects to explain a request with, and which of them could not be read.
pub(super) struct Source {
    pub cluster: Cluster,
    manifests: Vec<Manifest>,
    /// Other definitions of objects, which do not count.
    repeated: BTreeSet<(ObjectRef, Arc<str>)>,
    /// The kinds that are not readable (RBAC).
    forbidden: KindSet,
    /// Documents and objects that are not read.
    unread: Vec<Unread>,
    /// The files that the objects come from.
    folder: Option<Folder>,
    /// Whether the cluster has no other objects.
    is_complete: bool,
}

impl Source {
    /// The objects that the options name: of files, which contain all objects of `complete`, of a snapshot, or of a cluster, of which
    /// only those of `kinds` are read.
    pub(super) fn of(state: &StateArgs, complete: KindSet, kinds: KindSet) -> anyhow::Result<Self> {
        match state.objects.as_slice() {
            [] => Self::of_cluster(state, kinds),
            paths => Self::of_files(paths, complete, "--objects"),
        }
    }

    /// The objects in the snapshot or in the cluster.
    fn of_cluster(state: &StateArgs, kinds: KindSet) -> anyhow::Result<Self> {
        let (read, mut unread) = state.view(kinds, kinds, "the answer does not include them")?;
        let known: BTreeSet<ObjectRef> = unread.iter().filter_map(|unread| unread.object.clone()).collect();
        let undecodable =
            |object: &&Manifest| read.unread.contains(&object.object_ref) && !known.contains(&object.object_ref);
        unread.extend(read.objects.iter().filter(undecodable).map(Unread::of_manifest));
        Ok(Self {
            cluster: read.cluster,
            manifests: read.objects,
            repeated: BTreeSet::new(),
            forbidden: read.forbidden,
            unread,
            folder: None,
            is_complete: true,
        })
    }

    /// The objects in these files and folders, which contain all objects of `complete`. `option` names them in errors.
    pub(super) fn of_files(paths: &[PathBuf], complete: KindSet, option: &'static str) -> anyhow::Result<Self> {
        let mut folder = Folder::new(paths, complete);
        let mut cluster = Cluster::default();
        for event in folder.refresh().context(option)? {
            cluster.apply(event);
        }
        folder.schemas().for_each(|(kind, schema)| cluster.apply(Event::Schema(kind, Some(schema))));
        super::folders::print_warnings(&folder, true)?;
        let unread: Vec<Unread> = folder.unread().cloned().collect();
        super::folders::print_unread(unread.iter());
        // If an object is defined more than once, only the first definition counts, as in the view.
        let mut seen = BTreeSet::new();
        let (own, others): (Vec<&Manifest>, Vec<&Manifest>) =
            folder.manifests().partition(|manifest| seen.insert(&manifest.object_ref));
        let first: BTreeMap<&ObjectRef, &Arc<str>> =
            own.iter().map(|manifest| (&manifest.object_ref, &manifest.json)).collect();
        let repeated = others.into_iter().filter(|other| first[&other.object_ref] != &other.json);
        let repeated = repeated.map(|other| (other.object_ref.clone(), Arc::clone(&other.json))).collect();
        let manifests = own.into_iter().cloned().collect();
        let is_complete = complete == KindSet::EVERY;
        Ok(Self { cluster, manifests, repeated, forbidden: KindSet::EMPTY, unread, folder: Some(folder), is_complete })
    }

    /// When the objects were created, as far as they say so.
    pub(super) fn creation_times(&self) -> impl Iterator<Item = (ObjectRef, Timestamp)> {
        let decoded = self.manifests.iter().filter_map(|manifest| Some((manifest, manifest.object().ok()?)));
        decoded.filter_map(|(manifest, object)| Some((manifest.object_ref.clone(), Facts::of(&object).created()?)))
    }

    /// The same objects with the creation time that `created` gives each.
    pub(super) fn with_creation_times(self, created: impl Fn(&ObjectRef) -> Timestamp) -> Self {
        let with_time = |manifest: Manifest| {
            let time = created(&manifest.object_ref);
            manifest.with_creation_time(time)
        };
        let manifests: Vec<Manifest> = self.manifests.into_iter().map(with_time).collect();
        let mut cluster = self.cluster;
        let decoded = manifests.iter().filter_map(|manifest| manifest.object().ok());
        decoded.for_each(|object| cluster.apply(Event::Apply(Facts::of(&object))));
        Self { manifests, cluster, ..self }
    }

    /// The objects of these files, and of the snapshot or the cluster those that no side of `sides` has, of which this is one.
    pub(super) fn over(self, cluster: &Self, sides: &BTreeSet<ObjectRef>) -> Self {
        let mut view = Cluster::default();
        for kind in KINDS.iter() {
            view.apply(Event::SyncState(kind, cluster.cluster.knowledge(kind)));
        }
        let others = cluster.manifests.iter().filter(|manifest| !sides.contains(&manifest.object_ref)).cloned();
        let manifests: Vec<Manifest> = self.manifests.into_iter().chain(others).collect();
        let decoded = manifests.iter().filter_map(|manifest| manifest.object().ok());
        decoded.for_each(|object| view.apply(Event::Apply(Facts::of(&object))));
        let unread = self.unread.into_iter().chain(cluster.unread.iter().cloned()).collect();
        let forbidden = cluster.forbidden;
        Self { cluster: view, manifests, unread, forbidden, is_complete: true, ..self }
    }

    /// The references of all objects.
    pub(super) fn references(&self) -> impl Iterator<Item = ObjectRef> {
        self.manifests.iter().map(|manifest| manifest.object_ref.clone())
    }

    /// Messages about other definitions of objects, which do not count, but for those that `other` also has.
    pub(super) fn repeated(&self, other: Option<&Self>) -> impl Iterator<Item = String> {
        let is_new =
            move |repeated: &&(ObjectRef, Arc<str>)| other.is_none_or(|other| !other.repeated.contains(repeated));
        let own = self.repeated.iter().filter(|(object, _)| KINDS.contains(object.kind)).filter(is_new);
        own.map(|(object, _)| format!("{object} is defined in several ways, of which the first counts"))
    }

    /// The objects as they are written. Those of a cluster that are not evaluated are not read.
    pub(super) fn written(&self) -> Written<'_> {
        let evaluated = self.manifests.iter().map(|manifest| (&manifest.object_ref, &*manifest.json)).collect();
        let policies = self.manifests.iter().filter(|manifest| manifest.object_ref.kind == Kind::BackendTlsPolicy);
        let policies = policies.filter_map(|manifest| unevaluated(&serde_json::from_str(&manifest.json).ok()?, ""));
        Written {
            evaluated,
            others: self.folder.iter().flat_map(Folder::unevaluated).cloned().chain(policies).collect(),
            is_complete: self.is_complete,
            ..Written::default()
        }
    }

    /// Where a field is written; `None` for an object of a cluster.
    pub(super) fn place(&self, object: &ObjectRef, field: &FieldPath) -> Option<report::Source> {
        let folder = self.folder.as_ref()?;
        let manifest = self.manifests.iter().find(|manifest| manifest.object_ref == *object)?;
        let position = Locator::new(folder).position(manifest, field);
        Some(report::Source { position, ..super::folders::source(manifest) })
    }

    /// Messages about everything that is not read and may change an answer to some request.
    pub(super) fn unread(&self) -> Vec<String> {
        let concerns = |unread: &&Unread| unread.object.as_ref().is_none_or(|object| KINDS.contains(object.kind));
        let forbidden = self.forbidden.iter().filter(|kind| KINDS.contains(*kind));
        let forbidden = forbidden.map(|kind| format!("{} are not readable (RBAC)", kind.resource()));
        let mut all: Vec<String> =
            forbidden.chain(self.unread.iter().filter(concerns).map(ToString::to_string)).collect();
        all.dedup();
        all
    }

    /// Messages about what cannot be read since a file is invalid.
    pub(super) fn invalid(&self) -> impl Iterator<Item = String> {
        let is_invalid = |unread: &&Unread| {
            use UnreadCause::{Malformed, NotOpened, NotText, WrongType};
            matches!(unread.cause, Malformed | NotOpened | NotText | WrongType)
        };
        self.unread.iter().filter(is_invalid).map(ToString::to_string)
    }

    /// The objects that can be decoded.
    pub(super) fn stored(&self) -> Vec<Stored<'_>> {
        self.stored_of(KindSet::EVERY)
    }

    /// The objects of `kinds` that can be decoded.
    pub(super) fn stored_of(&self, kinds: KindSet) -> Vec<Stored<'_>> {
        let manifests = self.manifests.iter().filter(|manifest| kinds.contains(manifest.object_ref.kind));
        let read = manifests.filter_map(|manifest| Some((&manifest.object_ref, manifest.object().ok()?)));
        read.map(|(object_ref, object)| Stored { object_ref: object_ref.clone(), object }).collect()
    }

    /// Fails if it is known that the namespace does not exist. Objects without any Namespace, such as manifests of applications, do not
    /// say which namespaces exist.
    pub(super) fn require_namespace(&self, name: &str) -> anyhow::Result<()> {
        anyhow::ensure!(is_label(name), "--namespace: `{name}` is not the name of a namespace");
        let manifests = self.manifests.iter().filter(|manifest| manifest.object_ref.kind == Kind::Namespace);
        let existing: BTreeSet<String> = manifests.map(|manifest| manifest.object_ref.name.clone()).collect();
        let this = ObjectRef::new(Kind::Namespace, "", name);
        let is_absent = matches!(Overlay::new(&self.cluster, &this).namespace(name), Lookup::Absent);
        anyhow::ensure!(!is_absent || existing.is_empty(), "--namespace: {}", namespace_not_found(name, &existing));
        Ok(())
    }

    /// Messages about everything of `kinds` that is not read and may change the answer.
    pub(super) fn missing(&self, answer: &Explanation, scope: &Scope, kinds: KindSet) -> Vec<String> {
        let kinds = match (&scope.gateway, &scope.class) {
            (Some(_), None) => kinds.without(OF_CLASSES),
            (None, Some(_)) => kinds.without(OF_GATEWAYS),
            _ => kinds,
        };
        // A UDP datagram is not a request.
        let kinds = kinds.without(KindSet::of(&[Kind::UdpRoute]));
        let text = answer::text(answer, &[]);
        let concerns = |unread: &&Unread| {
            let service = unread.object.as_ref().filter(|object| object.kind == Kind::Service);
            unread.may_concern(kinds, &answer.request.host)
                && service.is_none_or(|service| text.contains(&service.name))
        };
        let forbidden = self.forbidden.iter().filter(|kind| kinds.contains(*kind));
        let forbidden = forbidden.map(|kind| format!("{} are not readable (RBAC)", kind.resource()));
        let mut missing: Vec<String> =
            forbidden.chain(self.unread.iter().filter(concerns).map(ToString::to_string)).collect();
        // The documents of a file are adjacent, and those of a template have one message.
        missing.dedup();
        missing
    }
}
