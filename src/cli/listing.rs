//! Lists each kind of a live cluster once, and builds a view from the objects.

use std::collections::BTreeSet;

use super::ClusterArgs;
use super::progress::Progress;
use crate::files::Manifest;
use crate::watch::{ApiClient, ApiVersions, KindList, Lists, WatchError};
use portcullis_core::cluster::{Cluster, Event, Facts, SyncState};
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};
use portcullis_core::report::RequestedKinds;

/// The readable objects of a cluster.
#[derive(Default)]
pub(super) struct Listing {
    /// The view of these objects.
    pub cluster: Cluster,
    /// The objects of the kinds to keep.
    pub objects: Vec<Manifest>,
    /// The kinds that were asked for.
    listed: KindSet,
    /// Those of them that are served.
    pub kinds: KindSet,
    /// Those of them that are not readable (RBAC).
    pub forbidden: KindSet,
    /// The objects that cannot be decoded as their kind.
    pub unread: Vec<ObjectRef>,
}

/// How lists are read from a cluster.
#[derive(Clone, Copy)]
pub(super) struct ListOptions {
    /// Whether standard error shows the progress if the lists take long.
    pub progress: bool,
    /// The options that take the place of a cluster, for the error if none is configured.
    pub instead: &'static str,
}

/// All objects of `kinds`.
pub(super) async fn lists(args: &ClusterArgs, kinds: KindSet, options: ListOptions) -> anyhow::Result<Lists> {
    read_lists(&client(args, options).await?, kinds, options).await
}

/// All objects of `kinds`, and what charts can ask about the cluster.
pub(super) async fn lists_with_api_versions(
    args: &ClusterArgs,
    kinds: KindSet,
    options: ListOptions,
) -> anyhow::Result<Lists> {
    let api = client(args, options).await?;
    let api_versions = ApiVersions::discover(&api).await?;
    Ok(Lists { api_versions, ..read_lists(&api, kinds, options).await? })
}

async fn client(args: &ClusterArgs, options: ListOptions) -> anyhow::Result<ApiClient> {
    let named = |error| match error {
        WatchError::NoCluster(_) => anyhow::anyhow!(
            "no cluster is configured: name one with --context or --kubeconfig, or use {}",
            options.instead
        ),
        other => other.into(),
    };
    args.client().await.map_err(named)
}

async fn read_lists(api: &ApiClient, kinds: KindSet, options: ListOptions) -> anyhow::Result<Lists> {
    let mut progress = Progress::start(options.progress);
    Ok(Lists::read(api, kinds, |kind, objects| progress.show(kind, objects)).await?)
}

/// What to do if kinds are not readable.
pub(super) const RIGHTS: &str = "a ClusterRole with the rights is in `portcullis manifests rbac`";

impl Listing {
    /// The view of `lists` and the objects of `kept`. Prints a message with `consequence` to standard error for each kind
    /// that is not readable (RBAC).
    pub(super) fn of(lists: Lists, kept: KindSet, consequence: &str) -> Self {
        let mut all = Self::default();
        lists.schemas.into_iter().for_each(|(kind, schema)| all.cluster.apply(Event::Schema(kind, Some(schema))));
        for (kind, list) in lists.kinds {
            all.listed = all.listed.union(KindSet::of(&[kind]));
            if !matches!(list, KindList::NotServed) {
                all.kinds = all.kinds.union(KindSet::of(&[kind]));
            }
            match list {
                KindList::NotServed => all.cluster.apply(Event::SyncState(kind, SyncState::NotServed)),
                KindList::Objects(objects) => {
                    let state = if all.take_in(&objects) { SyncState::Complete } else { SyncState::Partial };
                    all.cluster.apply(Event::SyncState(kind, state));
                    all.objects.extend(objects.into_iter().filter(|_| kept.contains(kind)));
                }
                KindList::Partial { objects, namespaces } => {
                    let covered = if all.take_in(&objects) { namespaces } else { BTreeSet::new() };
                    all.cluster.apply(Event::SyncState(kind, SyncState::Partial));
                    all.cluster.apply(Event::Covered(kind, covered));
                    all.objects.extend(objects.into_iter().filter(|_| kept.contains(kind)));
                }
                KindList::Forbidden => {
                    eprintln!("portcullis: {} are not readable (RBAC); {consequence}", kind.resource());
                    all.forbidden = all.forbidden.union(KindSet::of(&[kind]));
                    all.cluster.apply(Event::SyncState(kind, SyncState::Forbidden));
                }
            }
        }
        if !all.forbidden.is_empty() {
            eprintln!("portcullis: note: {RIGHTS}");
        }
        all
    }

    /// The kinds among `needed` that are served, for a report. A snapshot of an older release may lack kinds; they are not readable.
    pub(super) fn requested(&self, needed: KindSet) -> RequestedKinds {
        let missing = needed.without(self.listed);
        let needed_of = |kinds: KindSet| kinds.iter().filter(|kind| needed.contains(*kind)).collect();
        let (requested, unreadable) = (self.kinds.union(missing), self.forbidden.union(missing));
        RequestedKinds { requested: needed_of(requested), unreadable: needed_of(unreadable) }
    }

    /// The namespaces of the kept objects, and the Namespaces; `None` if these are not readable.
    pub(super) fn namespaces(&self) -> Option<BTreeSet<String>> {
        let objects = self.objects.iter().map(|object| object.object_ref.of_namespace().to_owned());
        let is_known = self.kinds.contains(Kind::Namespace) && !self.forbidden.contains(Kind::Namespace);
        is_known.then(|| objects.collect())
    }

    /// Applies the objects to the view. Returns whether something is known of each of them.
    fn take_in(&mut self, objects: &[Manifest]) -> bool {
        let mut is_known = true;
        for object in objects {
            let read = object.object().ok().map(|object| Facts::of(&object));
            if read.is_none() {
                self.unread.push(object.object_ref.clone());
            }
            match read.or_else(|| Facts::of_unreadable(&object.object_ref, &object.json)) {
                Some(facts) => self.cluster.apply(Event::Apply(facts)),
                // The object exists, but nothing is known of its content.
                None => is_known = false,
            }
        }
        is_known
    }
}
