//! What several commands say about folders, on standard error and in reports.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::Path;

use crate::files::{DuplicateObject, Folder, Locator, Manifest, Unread, UnreadCause, some_of};
use portcullis_core::checks::Plan;
use portcullis_core::cluster::{Cluster, Lookup, Overlay};
use portcullis_core::field::FieldPath;
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_core::message::sanitize;
use portcullis_core::report::{ObjectFindings, Report, Source, UnreadDocument, namespace_not_found};

/// Prints warnings that do not prevent the use of a folder, if wanted. Fails if the folder contains no manifest.
pub(super) fn print_warnings(folder: &Folder, is_wanted: bool) -> anyhow::Result<()> {
    print_warnings_about(folder, is_wanted, DuplicateObject::to_string)
}

/// The same with a message about each object that is defined more than once.
pub(super) fn print_warnings_about(
    folder: &Folder,
    is_wanted: bool,
    copies: fn(&DuplicateObject) -> String,
) -> anyhow::Result<()> {
    if is_wanted {
        print_notes(folder, copies);
    }
    let empty = folder.empty();
    anyhow::ensure!(empty.is_empty(), empty.join("\n"));
    Ok(())
}

fn print_notes(folder: &Folder, copies: fn(&DuplicateObject) -> String) {
    folder.warnings().iter().for_each(|warning| note("warning", warning));
    folder.copies().iter().for_each(|object| note("warning", &copies(object)));
    for (path, count) in folder.hidden() {
        let files = if count == 1 { "1 file in it is".to_owned() } else { format!("{count} files in it are") };
        note("note", &format!("{}: hidden, so {files} not read", path.display()));
    }
    for path in folder.templates() {
        note("note", &format!("{}: not read, since its name does not end in .yaml, .yml or .json", path.display()));
    }
}

fn note(weight: &str, message: &str) {
    eprintln!("portcullis: {weight}: {}", sanitize(message));
}

/// Prints which documents are not read, in one line for each message: all templates of a chart have the same.
pub(super) fn print_unread<'u>(unread: impl Iterator<Item = &'u Unread>) {
    print_consequences(unread.map(|unread| (unread, "")));
}

/// Like [`print_unread`], with what follows from each document that is not read.
pub(super) fn print_consequences<'u>(unread: impl Iterator<Item = (&'u Unread, &'static str)>) {
    let mut by_message: BTreeMap<(&str, &str), BTreeSet<&Path>> = BTreeMap::new();
    for (unread, consequence) in unread {
        by_message.entry((&unread.message, consequence)).or_default().insert(&unread.file);
    }
    for ((message, consequence), files) in by_message {
        let files: Vec<_> = files.into_iter().map(Path::display).collect();
        eprintln!("portcullis: {}", sanitize(&format!("{}: {message}{consequence}", some_of(&files))));
    }
}

/// Prints that the files in `paths` contain no object that is checked.
pub(super) fn print_nothing_checked(paths: &[impl Display], folder: &Folder) {
    let files = match folder.files().count() {
        // Standard input, and what tools built.
        0 => String::new(),
        1 => " in 1 file".to_owned(),
        files => format!(" in {files} files"),
    };
    let paths = some_of(paths);
    note("note", &format!("{paths}: no object of the kinds that Portcullis checks was found{files}"));
}

/// The number of documents with noun and verb.
pub(super) fn documents(count: usize) -> String {
    if count == 1 { "1 document is".to_owned() } else { format!("{count} documents are") }
}

/// Prints the labels by which Namespaces choose a profile that does not exist.
pub(super) fn print_mislabeled<'o>(plan: &Plan, cluster: &Cluster, objects: impl Iterator<Item = &'o ObjectRef>) {
    let namespaces: BTreeSet<&str> =
        objects.filter(|object| object.kind == Kind::Namespace).map(|object| object.name.as_str()).collect();
    plan.mislabeled(cluster, namespaces).iter().for_each(|warning| note("warning", &warning.to_string()));
}

/// Prints which namespaces of checked objects do not exist, if they are those of a cluster whose namespaces `existing` are known, and of
/// which others the configuration would need to know labels.
pub(super) fn print_unknown_namespaces<'o>(
    plan: &Plan,
    cluster: &Cluster,
    objects: impl Iterator<Item = &'o ObjectRef>,
    existing: Option<&BTreeSet<String>>,
) {
    let checked = objects.filter(|object| object.kind.is_validated() && !object.namespace.is_empty());
    let namespaces: BTreeSet<&str> = checked.map(|object| object.namespace.as_str()).collect();
    let mut unlabeled = Vec::new();
    for name in namespaces {
        let this = ObjectRef::new(Kind::Namespace, "", name);
        match (Overlay::new(cluster, &this).namespace(name), existing) {
            (Lookup::Found(_), _) => {}
            (Lookup::Absent, Some(existing)) => note("note", &namespace_not_found(name, existing)),
            _ => unlabeled.push(name),
        }
    }
    if !unlabeled.is_empty() && plan.needs_labels() {
        let noun = if unlabeled.len() == 1 { "namespace" } else { "namespaces" };
        let names = unlabeled.join(", ");
        let fix = "add Namespaces to the files, or use --context, --against or --objects";
        note(
            "note",
            &format!("the labels of {noun} {names} are not known, so nothing that depends on them is denied: {fix}"),
        );
    }
}

/// Prints that not all HostClaims are known, if host ownership depends on them.
pub(super) fn print_unknown_claims(plan: &Plan, cluster: &Cluster) {
    if plan.ownership().lacks_claims(cluster) {
        let fix = "add --complete, or use --context, --against or --objects";
        note(
            "note",
            &format!("not all HostClaims are known, so hosts without one of their own are not reported: {fix}"),
        );
    }
}

/// The file and the document of a manifest, without a position.
pub(super) fn source(manifest: &Manifest) -> Source {
    if !manifest.is_in_file() {
        return Source::default();
    }
    let document = Some(manifest.origin.document);
    Source { file: manifest.file.display().to_string(), document, position: None }
}

/// Adds the positions of the findings in a manifest, and puts the findings in their order.
pub(super) fn locate(entry: &mut ObjectFindings, manifest: &Manifest, locator: &mut Locator<'_>) {
    if !entry.is_clean() {
        entry.source.position = locator.position(manifest, &FieldPath::default());
    }
    for finding in &mut entry.findings {
        finding.position = locator.position(manifest, &finding.evaluated.finding.at);
    }
    entry.findings.sort_by_key(|finding| finding.position);
}

/// Reports documents that are not read. An object that cannot be decoded has a finding that says so, unless that
/// check is off.
pub(super) fn add_unread<'u>(unread: impl Iterator<Item = &'u Unread>, report: &mut Report) {
    let reported: BTreeSet<ObjectRef> = report.with_findings().map(|entry| entry.object.clone()).collect();
    for unread in unread {
        let is_partly_checked = unread.cause == UnreadCause::WrongType
            && unread.object.as_ref().is_some_and(|object| reported.contains(object));
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
        is_beside: false,
    }
}
