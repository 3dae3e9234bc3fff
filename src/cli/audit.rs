//! `portcullis audit`: checks the objects of a live cluster, which are read once, with nothing installed, or those of a snapshot or of files.

use std::collections::BTreeSet;
use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;

use super::findings::FindingArgs;
use super::folders;
use super::listing::Listing;
use super::plan::PlanArgs;
use super::state::{FileArgs, PathArgs, State, StateArgs, Wanted};
use crate::files::{Folder, Locator, UnreadCause};
use crate::watch;
use portcullis_core::checks::Plan;
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};
use portcullis_core::report::{Grouping, Report, Source, UnreadDocument};
use portcullis_core::review::stored;

/// Check the objects of a live cluster, of a snapshot (--against) or in files as the cluster stores them. Reads only, and needs nothing
/// installed.
#[derive(Debug, Args)]
pub struct AuditArgs {
    #[command(flatten)]
    paths: PathArgs,
    #[command(flatten)]
    state: StateArgs,
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    findings: FindingArgs,
}

impl AuditArgs {
    /// Prints the findings by namespace. The exit code is 1 if something would be denied, or else 3 if something could
    /// not be read.
    pub fn run(mut self) -> anyhow::Result<ExitCode> {
        self.state.objects.append(&mut self.paths.paths);
        self.findings.validate()?;
        let plan = self.plan.plan(&self.state.cluster)?;
        let report = self.report(&plan)?;
        self.findings.print(report, &plan, Grouping::ByNamespace)
    }

    fn report(&self, plan: &Plan) -> anyhow::Result<Report> {
        let validated = KindSet::VALIDATED;
        let has_named = self.findings.has_namespaces() || plan.config().namespace_profile_label.is_some();
        let named = if has_named { KindSet::of(&[Kind::Namespace]) } else { KindSet::EMPTY };
        let kinds = validated.union(plan.needs()).union(named);
        let notes = self.findings.has_notes();
        let wanted = Wanted { kinds, api_versions: false, notes };
        let State { mut lists, folder } = self.state.read(wanted, self.files.options(notes)?)?;
        let unread = std::mem::take(&mut lists.unread);
        let read = Listing::of(lists, validated.union(named), "checks that need them report nothing");
        if notes {
            let objects = || read.objects.iter().map(|object| &object.object_ref);
            folders::print_mislabeled(plan, &read.cluster, objects());
            folders::print_unknown_namespaces(plan, &read.cluster, objects(), None);
            folders::print_unknown_claims(plan, &read.cluster);
        }
        let mut report = Report { kinds: Some(read.requested(kinds)), ..Report::default() };
        report.namespaces = if self.findings.has_namespaces() { read.namespaces() } else { None };
        match &folder {
            Some(folder) => check_files(folder, &read, plan, &mut report),
            None => check_objects(&read, plan, &mut report),
        }
        folders::add_unread(unread.iter(), &mut report);
        let known: BTreeSet<ObjectRef> = unread.into_iter().filter_map(|unread| unread.object).collect();
        add_undecodable(read.unread.iter().filter(|object| !known.contains(*object)), &mut report);
        if let Some(folder) = folder.filter(|_| notes && report.entries.is_empty() && report.is_complete()) {
            let paths: Vec<_> = self.state.objects.iter().map(|path| path.display()).collect();
            folders::print_nothing_checked(&paths, &folder);
        }
        Ok(report)
    }
}

/// Checks the objects of a cluster.
fn check_objects(read: &Listing, plan: &Plan, report: &mut Report) {
    let now = Timestamp::now();
    for object in read.objects.iter().filter(|object| object.object_ref.kind.is_validated()) {
        let outcome = stored::check(plan, &read.cluster, &object.object_ref, &object.json, now);
        report.add(folders::source(object), &object.object_ref, outcome);
    }
}

/// Checks every definition of each object in files, and adds positions. Of an object that is defined more than once, `read` contains the
/// first definition only.
fn check_files(folder: &Folder, read: &Listing, plan: &Plan, report: &mut Report) {
    let (now, mut locator, mut checked) = (Timestamp::now(), Locator::new(folder), BTreeSet::new());
    let manifests = folder.manifests().filter(|manifest| manifest.object_ref.kind.is_validated());
    for manifest in manifests.filter(|manifest| checked.insert((&manifest.object_ref, &manifest.json))) {
        let object = watch::stored(manifest, &read.cluster);
        let outcome = stored::check(plan, &read.cluster, &object.object_ref, &object.json, now);
        let entry = report.add(folders::source(manifest), &manifest.object_ref, outcome);
        folders::locate(entry, manifest, &mut locator);
    }
}

/// Reports the objects that cannot be decoded as their kind.
fn add_undecodable<'o>(objects: impl Iterator<Item = &'o ObjectRef>, report: &mut Report) {
    let reported: BTreeSet<ObjectRef> = report.with_findings().map(|entry| entry.object.clone()).collect();
    report.unread.extend(objects.map(|object| UnreadDocument {
        is_beside: false,
        source: Source::default(),
        cause: UnreadCause::WrongType.label(),
        message: format!("{object} cannot be decoded"),
        object: Some(object.clone()),
        is_partly_checked: reported.contains(object),
    }));
}
