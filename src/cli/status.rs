//! `portcullis status`: shows the status that the controller would write.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, ValueEnum};
use jiff::Timestamp;

use super::folders::documents;
use super::{ConfigArgs, exit};
use crate::files::Folder;
use portcullis_core::checks::Plan;
use portcullis_core::cluster::Cluster;
use portcullis_core::message::sanitize;
use portcullis_core::report::status::{StatusEntry, json, text};
use portcullis_core::status::{self, KINDS};

/// Show the status that the controller would write for each object of a folder, as if the folder were the whole cluster.
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
    /// A line for each object and each condition.
    #[default]
    Text,
    /// A list of JSON objects.
    Json,
}

impl StatusArgs {
    /// Prints the status of every object that gets one, by kind, namespace and name. The exit code is 2 if something could not be
    /// read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let plan = self.config.plan(None)?;
        let mut folder = Folder::new(&self.objects, true);
        let mut cluster = Cluster::default();
        for event in folder.refresh().context("the manifests cannot be read")? {
            cluster.apply(event);
        }
        super::folders::print_warnings(&folder)?;
        let entries = entries(&folder, &mut cluster, &plan);
        super::print_text(&match self.output {
            Output::Text => text(&entries),
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

/// The statuses of all objects in the folder, ordered by reference.
fn entries(folder: &Folder, cluster: &mut Cluster, plan: &Plan) -> Vec<StatusEntry> {
    let objects = folder.manifests().filter(|manifest| KINDS.contains(manifest.object_ref.kind));
    let objects = objects.map(|manifest| (manifest.object_ref.clone(), (*manifest.json).into()));
    let all = status::of_all(objects, cluster, plan.graph_rules(Timestamp::now()));
    all.iter().map(|(object_ref, desired)| StatusEntry::new(object_ref, desired)).collect()
}
