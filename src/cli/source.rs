//! The objects of a folder, of a snapshot or of a live cluster, for the commands that explain requests.

use std::collections::BTreeSet;

use anyhow::Context;
use clap::{ArgGroup, Args};

use super::state::StateArgs;
use crate::files::{Folder, Manifest, Unread};
use portcullis_core::cluster::{Cluster, Lookup, Overlay};
use portcullis_core::explain::{Explanation, Scope, Stored};
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};
use portcullis_core::names::is_label;
use portcullis_core::report::{answer, namespace_not_found};

/// Files, a snapshot, or a live cluster.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("source").required(true).multiple(true).args(["objects", "against", "kubeconfig", "context"]))]
pub(super) struct SourceArgs {
    #[command(flatten)]
    pub(super) state: StateArgs,
    #[command(flatten)]
    completeness: CompletenessArgs,
}

/// How much of the cluster files contain, for the commands that say what is served.
#[derive(Debug, Args)]
pub(super) struct CompletenessArgs {
    /// Treat the files as the whole cluster: kinds that they do not contain, except Secrets, have no objects.
    ///
    /// Without it, files contain all that serves requests, but what they refer to may be elsewhere, as for `lint`.
    #[arg(long, requires = "files")]
    complete: bool,
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
        if self.complete { KindSet::EVERY } else { SERVING }
    }
}

impl SourceArgs {
    /// The objects. Of a cluster, only those of `kinds`.
    pub(super) fn read(&self, kinds: KindSet) -> anyhow::Result<Source> {
        if self.state.objects.is_empty() { self.cluster(kinds) } else { self.folder() }
    }

    /// The objects in the folders.
    fn folder(&self) -> anyhow::Result<Source> {
        let mut folder = Folder::new(&self.state.objects, self.completeness.kinds());
        let mut cluster = Cluster::default();
        for event in folder.refresh().context("--objects")? {
            cluster.apply(event);
        }
        super::folders::print_warnings(&folder, true)?;
        let unread: Vec<Unread> = folder.unread().cloned().collect();
        super::folders::print_unread(unread.iter());
        // If an object is defined more than once, only the first definition counts, as in the view.
        let mut seen = BTreeSet::new();
        let manifests = folder.manifests().filter(|manifest| seen.insert(&manifest.object_ref)).cloned().collect();
        Ok(Source { cluster, manifests, forbidden: KindSet::EMPTY, unread })
    }

    /// The objects in the snapshot or in the cluster.
    fn cluster(&self, kinds: KindSet) -> anyhow::Result<Source> {
        let (read, mut unread) = self.state.view(kinds, kinds, "the answer does not include them")?;
        let known: BTreeSet<ObjectRef> = unread.iter().filter_map(|unread| unread.object.clone()).collect();
        let undecodable =
            |object: &&Manifest| read.unread.contains(&object.object_ref) && !known.contains(&object.object_ref);
        unread.extend(read.objects.iter().filter(undecodable).map(Unread::of_manifest));
        Ok(Source { cluster: read.cluster, manifests: read.objects, forbidden: read.forbidden, unread })
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
    /// The kinds that are not readable (RBAC).
    forbidden: KindSet,
    /// Documents and objects that are not read.
    unread: Vec<Unread>,
}

impl Source {
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

    /// Messages about everything that is not read and may change the answer.
    pub(super) fn missing(&self, answer: &Explanation, scope: &Scope) -> Vec<String> {
        let kinds = match (&scope.gateway, &scope.class) {
            (Some(_), None) => KINDS.without(OF_CLASSES),
            (None, Some(_)) => KINDS.without(OF_GATEWAYS),
            _ => KINDS,
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
