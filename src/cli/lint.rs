//! `portcullis lint`: checks manifests on disk.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use jiff::Timestamp;

use super::{ConfigArgs, exit};
use crate::files::{Folder, UnreadCause};
use portcullis_core::checks::Plan;
use portcullis_core::cluster::Cluster;
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_core::message::sanitize;
use portcullis_core::report::{Report, text};
use portcullis_core::review::stored;

/// Check manifests on disk as if each were applied to a cluster that contains the others.
#[derive(Debug, Args)]
pub struct LintArgs {
    /// Files, or folders of YAML and JSON.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Treat the files as the whole cluster: kinds that they do not contain have no objects.
    #[arg(long)]
    complete: bool,
    #[command(flatten)]
    config: ConfigArgs,
    /// Use this profile instead of the one in the configuration.
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
}

impl LintArgs {
    /// Prints the findings. The exit code is 1 if something would be denied, or else 2 if something could not be read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let plan = self.config.plan(self.profile.as_deref())?;
        let mut folder = Folder::new(&self.paths, self.complete);
        let mut cluster = Cluster::default();
        for event in folder.refresh().context("the manifests cannot be read")? {
            cluster.apply(event);
        }
        super::folders::print_warnings(&folder)?;
        let report = check_folder(&folder, &cluster, &plan);
        super::print_assumed_bundle(&report);
        print!("{}", text::render(&report));
        Ok(ExitCode::from(exit::of(&report)))
    }
}

/// Checks all manifests of the folder, and reports the documents that are not read.
fn check_folder(folder: &Folder, cluster: &Cluster, plan: &Plan) -> Report {
    let hidden = folder.hidden().iter().map(|(_, count)| count).sum();
    let (others, no_objects, now) = (folder.others(), folder.no_objects(), Timestamp::now());
    let templates = folder.templates().len();
    let mut report = Report { others, no_objects, hidden, templates, ..Report::default() };
    let mut checked: BTreeSet<(&ObjectRef, &str)> = BTreeSet::new();
    for manifest in folder.manifests().filter(|manifest| manifest.object_ref.kind.is_validated()) {
        if !checked.insert((&manifest.object_ref, &manifest.json)) {
            continue;
        }
        let outcome = stored::check_manifest(plan, cluster, &manifest.object_ref, &manifest.json, now);
        report.add(&manifest.file.display().to_string(), &manifest.object_ref, outcome);
    }
    let reported: BTreeSet<ObjectRef> = report.entries.iter().map(|entry| entry.object.clone()).collect();
    for unread in folder.unread() {
        let object = unread
            .object
            .as_ref()
            .filter(|object| unread.cause == UnreadCause::WrongType && reported.contains(*object));
        report.add_unread(unread.cause.label(), &unread.file.display().to_string(), object);
        // An object that cannot be decoded has a finding that says so, unless that check is off.
        if object.is_none() {
            eprintln!("portcullis: {}", sanitize(&unread.to_string()));
        }
    }
    if report.evaluated == 0 {
        add_looked_up(folder, &mut report);
    }
    super::print_expirations(plan, &report, now);
    report
}

/// Reports objects of CRD-defined kinds that no check covers, for folders without an object that could refer to them.
fn add_looked_up(folder: &Folder, report: &mut Report) {
    let is_looked_up = |kind: Kind| kind.is_custom() && !kind.is_validated();
    for manifest in folder.manifests().filter(|manifest| is_looked_up(manifest.object_ref.kind)) {
        let (file, object_ref) = (manifest.file.display().to_string(), &manifest.object_ref);
        report.add_unread(UnreadCause::LookedUp.label(), &file, None);
        eprintln!(
            "portcullis: {}",
            sanitize(&format!(
                "{file}: {object_ref} is not checked: objects of this kind are only read to resolve references"
            ))
        );
    }
}
