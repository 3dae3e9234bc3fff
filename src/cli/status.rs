//! `portcullis status`: shows the status of the IngressRoutes on disk.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::folders::documents;
use super::{ConfigArgs, exit};
use crate::files::Folder;
use portcullis_core::cluster::Cluster;
use portcullis_core::kinds::ObjectRef;
use portcullis_core::message::{Disclosure, sanitize};
use portcullis_core::report::status::{StatusEntry, json, table};
use portcullis_core::routing::delegation::{GraphState, GraphStatus, IngressRouteStatus};

/// Show which IngressRoutes of a folder are valid, invalid or orphaned, as if the folder were the whole cluster.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// The folders of manifests, which together are the whole cluster.
    #[arg(long, value_name = "DIR", required = true)]
    objects: Vec<PathBuf>,
    #[command(flatten)]
    config: ConfigArgs,
    /// The output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// The output format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Output {
    /// A table.
    #[default]
    Table,
    /// A list of JSON objects.
    Json,
}

impl StatusArgs {
    /// Prints the status of every IngressRoute, by namespace and name. The exit code is 2 if something could not be
    /// read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let plan = self.config.plan(None)?;
        let mut folder = Folder::new(&self.objects, true);
        let mut cluster = Cluster::default();
        for event in folder.refresh().context("the manifests cannot be read")? {
            cluster.apply(event);
        }
        super::folders::print_warnings(&folder)?;
        let mut verdicts = GraphState::default();
        verdicts.reconcile(cluster.take_dirty(), &cluster, plan.config());
        let mut all: Vec<_> = verdicts.iter().collect();
        all.sort_unstable_by_key(|(object_ref, _)| *object_ref);
        let is_open = plan.config().reveal_other_namespaces;
        let entry = |(object_ref, verdict): (&ObjectRef, &GraphStatus)| {
            let names = if is_open { Disclosure::All } else { Disclosure::Namespace(&object_ref.namespace) };
            StatusEntry::new(object_ref, IngressRouteStatus::of(verdict, names))
        };
        let entries: Vec<StatusEntry> = all.into_iter().map(entry).collect();
        super::print_text(&match self.output {
            Output::Table => table(&entries),
            Output::Json => json(&entries)?,
        })?;
        let unread: Vec<_> = folder.unread().collect();
        for unread in &unread {
            eprintln!("portcullis: {}", sanitize(&unread.to_string()));
        }
        if !unread.is_empty() {
            eprintln!(
                "portcullis: incomplete: {} not read; a status may depend on what they hold",
                documents(unread.len())
            );
        }
        Ok(ExitCode::from(if unread.is_empty() { exit::SUCCESS } else { exit::ERROR }))
    }
}
