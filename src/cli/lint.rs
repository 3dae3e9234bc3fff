//! `portcullis lint`: checks manifests on disk.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use jiff::Timestamp;

use super::ConfigArgs;
use super::findings::{FindingArgs, Grouping};
use crate::files::{Folder, Locator, Manifest, Unread, UnreadCause};
use portcullis_core::checks::Plan;
use portcullis_core::cluster::Cluster;
use portcullis_core::field::FieldPath;
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_core::message::sanitize;
use portcullis_core::report::{Report, Source, UnreadDocument};
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
    findings: FindingArgs,
    #[command(flatten)]
    config: ConfigArgs,
    /// Use this profile instead of the one in the configuration.
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
}

impl LintArgs {
    /// Prints the findings. The exit code is 1 if something would be denied, or else 3 if something could not be read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        self.findings.validate()?;
        let plan = self.config.plan(self.profile.as_deref())?;
        let mut folder = Folder::new(&self.paths, self.complete);
        let mut cluster = Cluster::default();
        for event in folder.refresh().context("the manifests cannot be read")? {
            cluster.apply(event);
        }
        super::folders::print_warnings(&folder, self.findings.has_notes())?;
        let report = check_folder(&folder, &cluster, &plan);
        self.findings.print(report, &plan, Grouping::ByFile)
    }
}

/// Checks all manifests of the folder, and reports the documents that are not read.
fn check_folder(folder: &Folder, cluster: &Cluster, plan: &Plan) -> Report {
    let hidden = folder.hidden().iter().map(|(_, count)| count).sum();
    let (others, no_objects, now) = (folder.others(), folder.no_objects(), Timestamp::now());
    let templates = folder.templates().len();
    let mut report = Report { others, no_objects, hidden, templates, ..Report::default() };
    let mut locator = Locator::new(folder);
    let mut checked: BTreeSet<(&ObjectRef, &str)> = BTreeSet::new();
    for manifest in folder.manifests().filter(|manifest| manifest.object_ref.kind.is_validated()) {
        if !checked.insert((&manifest.object_ref, &manifest.json)) {
            continue;
        }
        let outcome = stored::check_manifest(plan, cluster, &manifest.object_ref, &manifest.json, now);
        let entry = report.add(source(manifest), &manifest.object_ref, outcome);
        if !entry.is_clean() {
            entry.source.position = locator.position(manifest, &FieldPath::default());
        }
        for finding in &mut entry.findings {
            finding.position = locator.position(manifest, &finding.evaluated.finding.at);
        }
    }
    add_unread(folder, &mut report);
    if report.entries.is_empty() {
        add_looked_up(folder, &mut report);
    }
    report
}

/// The file and the document of a manifest, without a position.
fn source(manifest: &Manifest) -> Source {
    let document = Some(manifest.origin.document);
    Source { file: manifest.file.display().to_string(), document, position: None }
}

/// Reports the documents that are not read. An object that cannot be decoded has a finding that says so, unless that
/// check is off.
fn add_unread(folder: &Folder, report: &mut Report) {
    let reported: BTreeSet<ObjectRef> = report.with_findings().map(|entry| entry.object.clone()).collect();
    for unread in folder.unread() {
        let is_partly_checked = unread.cause == UnreadCause::WrongType
            && unread.object.as_ref().is_some_and(|object| reported.contains(object));
        if !is_partly_checked {
            eprintln!("portcullis: {}", sanitize(&unread.to_string()));
        }
        report.unread.push(UnreadDocument { is_partly_checked, ..unread_document(unread) });
    }
}

fn unread_document(unread: &Unread) -> UnreadDocument {
    let Unread { file, cause, message, object, document, position, .. } = unread;
    UnreadDocument {
        source: Source { file: file.display().to_string(), document: *document, position: *position },
        cause: cause.label(),
        message: message.clone(),
        object: object.clone(),
        is_partly_checked: false,
    }
}

/// Reports objects of CRD-defined kinds that no check covers, for folders without an object that could refer to them.
fn add_looked_up(folder: &Folder, report: &mut Report) {
    let is_looked_up = |kind: Kind| kind.is_custom() && !kind.is_validated();
    for manifest in folder.manifests().filter(|manifest| is_looked_up(manifest.object_ref.kind)) {
        let object = &manifest.object_ref;
        let message = format!("{object} is not checked: objects of this kind are only read to resolve references");
        eprintln!("portcullis: {}", sanitize(&format!("{}: {message}", manifest.file.display())));
        report.unread.push(UnreadDocument {
            source: source(manifest),
            cause: UnreadCause::LookedUp.label(),
            message,
            object: Some(object.clone()),
            is_partly_checked: false,
        });
    }
}
