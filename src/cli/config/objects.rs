//! The objects that a configuration is tried on: those of files, of a snapshot or of a live cluster.

use std::collections::BTreeSet;

use anyhow::Context;
use clap::Args;

use crate::cli::state::StateArgs;
use crate::files::{Folder, Manifest};
use portcullis_core::checks::{Outcome, Plan};
use portcullis_core::cluster::{Cluster, Event};
use portcullis_core::kinds::{Kind, KindSet};
use portcullis_core::review::stored::{self, AppliedManifest};

/// The objects to try a configuration on.
#[derive(Debug, Args)]
pub struct ObjectsArgs {
    #[command(flatten)]
    pub(super) state: StateArgs,
}

/// Objects, and everything that is known of the cluster that contains them.
pub struct Objects {
    /// The cluster.
    pub cluster: Cluster,
    /// The objects of kinds that are checked.
    pub manifests: Vec<Manifest>,
    /// The namespaces that exist.
    pub namespaces: BTreeSet<String>,
    /// Whether everything could be read.
    pub is_complete: bool,
    is_stored: bool,
}

impl ObjectsArgs {
    /// Whether the options name any objects.
    pub fn is_given(&self) -> bool {
        self.state.is_named()
    }

    /// Reads the objects, and those that the plans look up.
    pub fn read(&self, plans: &[&Plan]) -> anyhow::Result<Objects> {
        if self.state.objects.is_empty() { self.read_cluster(plans) } else { self.read_files() }
    }

    /// A cluster of which only the Namespaces are used, and their names. Other kinds of a live cluster are not read.
    pub fn read_namespaces(&self) -> anyhow::Result<(Cluster, BTreeSet<String>)> {
        if !self.state.objects.is_empty() {
            let read = self.read_files()?;
            return Ok((read.cluster, read.namespaces));
        }
        let kinds = KindSet::of(&[Kind::Namespace]);
        let (read, _) = self.state.view(kinds, kinds, "their labels are not known")?;
        Ok((read.cluster, namespaces(&read.objects)))
    }

    fn read_files(&self) -> anyhow::Result<Objects> {
        let mut folder = Folder::new(&self.state.objects, KindSet::EMPTY);
        let mut cluster = Cluster::default();
        for event in folder.refresh().context("the manifests cannot be read")? {
            cluster.apply(event);
        }
        for (kind, schema) in folder.unapplied_schemas() {
            cluster.apply(Event::Schema(kind, Some(schema)));
        }
        crate::cli::folders::print_warnings(&folder, true)?;
        crate::cli::folders::print_unread(folder.unread());
        let manifests: Vec<Manifest> = folder.manifests().cloned().collect();
        Ok(Objects {
            cluster,
            namespaces: namespaces(&manifests),
            manifests: manifests.into_iter().filter(|manifest| manifest.object_ref.kind.is_validated()).collect(),
            is_complete: folder.unread().next().is_none(),
            is_stored: false,
        })
    }

    fn read_cluster(&self, plans: &[&Plan]) -> anyhow::Result<Objects> {
        let kept = KindSet::VALIDATED.union(KindSet::of(&[Kind::Namespace]));
        let kinds = plans.iter().fold(kept, |all, plan| all.union(plan.needs()));
        let (read, unread) = self.state.view(kinds, kept, "checks that need them report nothing")?;
        crate::cli::folders::print_unread(unread.iter());
        Ok(Objects {
            cluster: read.cluster,
            namespaces: namespaces(&read.objects),
            manifests: read.objects.into_iter().filter(|object| object.object_ref.kind.is_validated()).collect(),
            is_complete: read.forbidden.is_empty() && unread.is_empty() && read.unread.is_empty(),
            is_stored: true,
        })
    }
}

impl Objects {
    /// What the checks of a plan say about one of the objects.
    pub fn check(&self, plan: &Plan, manifest: &Manifest, now: jiff::Timestamp) -> Outcome {
        let (this, json) = (&manifest.object_ref, &*manifest.json);
        match self.is_stored {
            true => stored::check(plan, &self.cluster, this, json, now),
            false => stored::check_manifest(plan, &self.cluster, AppliedManifest::new(this, json, now)),
        }
    }
}

/// The namespaces of the objects, and those that are among them.
fn namespaces(manifests: &[Manifest]) -> BTreeSet<String> {
    let name = |manifest: &Manifest| match manifest.object_ref.kind {
        Kind::Namespace => manifest.object_ref.name.clone(),
        _ => manifest.object_ref.namespace.clone(),
    };
    manifests.iter().map(name).filter(|name| !name.is_empty()).collect()
}
