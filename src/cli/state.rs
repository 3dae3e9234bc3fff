//! The objects of a cluster, for the commands that check: those of a live cluster, of a snapshot or of files.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{ArgGroup, Args};
use jiff::Timestamp;

use super::listing::{ListOptions, Listing};
use super::{ClusterArgs, folders, listing};
use crate::files::{Exclusion, Folder, Unread, UnreadCause, Variables};
use crate::watch::{Lists, SnapshotError};
use portcullis_core::kinds::KindSet;
use portcullis_core::message::sanitize;

/// Where the objects of the cluster come from.
#[derive(Debug, Args)]
pub(super) struct StateArgs {
    /// Use the cluster of this file, which `portcullis snapshot` wrote.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "kubeconfig", "context"])]
    against: Option<PathBuf>,
    /// Use the manifests in this file or folder as the objects of the cluster; may be repeated.
    #[arg(long, value_name = "PATH", group = "files", conflicts_with_all = ["kubeconfig", "context"])]
    pub(super) objects: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) cluster: ClusterArgs,
}

/// Files as arguments, for the commands without other arguments.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("files").multiple(true).args(["paths"]))]
pub(super) struct PathArgs {
    /// Files, or folders of YAML and JSON: the same as --objects.
    #[arg(value_name = "PATH", conflicts_with_all = ["kubeconfig", "context"])]
    pub(super) paths: Vec<PathBuf>,
}

/// How the files of `PATH` and `--objects` are read, for the commands that read no other files.
#[derive(Debug, Args)]
pub(super) struct FileArgs {
    /// The namespace of objects in the files that name none [default: default]
    #[arg(short, long, requires = "files")]
    namespace: Option<String>,
    /// Leave out files and folders with this name, or at this path below a given folder; may be repeated. `*` does not match `/`, and
    /// `**` does.
    #[arg(long, value_name = "GLOB", requires = "files")]
    exclude: Vec<String>,
    /// Treat the files as the whole cluster: kinds that they do not contain, except Secrets, have no objects.
    #[arg(long, requires = "files")]
    complete: bool,
    /// Fill in `${NAME}`, `${NAME:-default}` and `${NAME:=default}` as Flux does, from lines NAME=value of this file.
    #[arg(long, value_name = "FILE", requires = "files")]
    envsubst: Option<PathBuf>,
}

impl FileArgs {
    /// How the files are read; `notes` says whether notes about them are printed to standard error.
    pub(super) fn options(&self, notes: bool) -> anyhow::Result<FileOptions<'_>> {
        let exclusion = Exclusion::new(&self.exclude).context("--exclude")?;
        let variables = self.envsubst.as_deref().map(variables).transpose()?;
        Ok(FileOptions { namespace: self.namespace.as_deref(), complete: self.complete, exclusion, variables, notes })
    }
}

/// Reads the variables of `--envsubst`.
pub(super) fn variables(file: &Path) -> anyhow::Result<Variables> {
    let at = || format!("--envsubst {}", file.display());
    let text = std::fs::read_to_string(file).with_context(at)?;
    Variables::parse(&text).map_err(anyhow::Error::msg).with_context(at)
}

/// The kinds of which files contain all objects, by the option `--complete`.
pub(super) const fn all_if(complete: bool) -> KindSet {
    if complete { KindSet::EVERY } else { KindSet::EMPTY }
}

/// How files are read.
pub(super) struct FileOptions<'o> {
    /// The namespace of objects that name none; `None` for `default`.
    pub namespace: Option<&'o str>,
    /// Whether the cluster contains no other objects.
    pub complete: bool,
    /// The files that are left out.
    pub exclusion: Exclusion,
    /// The variables to fill in; `None` to leave all as they are.
    pub variables: Option<Variables>,
    /// Whether notes are printed to standard error.
    pub notes: bool,
}

/// The objects of a cluster.
pub(super) struct State {
    pub lists: Lists,
    /// The files that the objects come from; `None` for a live cluster and for a snapshot.
    pub folder: Option<Folder>,
}

/// What is asked of a cluster.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// The kinds to list.
    pub kinds: KindSet,
    /// Whether charts ask for the versions of APIs.
    pub api_versions: bool,
    /// Whether notes are printed to standard error.
    pub notes: bool,
}

impl StateArgs {
    /// Whether the options name objects: files, a snapshot or a cluster.
    pub(super) const fn is_named(&self) -> bool {
        !self.objects.is_empty() || self.against.is_some() || self.cluster.is_named()
    }

    /// Whether the objects are those of a snapshot, so that no cluster is asked.
    pub(super) const fn is_snapshot(&self) -> bool {
        self.against.is_some()
    }

    /// A view of the snapshot or the cluster that the options name, or else of the default cluster, with the objects of `kept`, and the
    /// documents that a snapshot says were not read. Prints a message with `consequence` for each kind that is not readable (RBAC).
    pub(super) fn view(
        &self,
        kinds: KindSet,
        kept: KindSet,
        consequence: &str,
    ) -> anyhow::Result<(Listing, Vec<Unread>)> {
        let wanted = Wanted { kinds, api_versions: false, notes: true };
        let mut lists = match self.cluster(wanted)? {
            Some(lists) => lists,
            None => self.live(wanted)?,
        };
        let mut unread = std::mem::take(&mut lists.unread);
        // Of an object that is defined more than once, the first definition counts.
        unread.retain(|unread| unread.cause != UnreadCause::OtherDefinition);
        let mut read = Listing::of(lists, kept, consequence);
        // An older snapshot lacks kinds that it does not list.
        read.forbidden = read.requested(kinds).unreadable;
        Ok((read, unread))
    }

    /// The objects that the options name, or else those of the default cluster.
    pub(super) fn read(&self, wanted: Wanted, files: FileOptions<'_>) -> anyhow::Result<State> {
        if let Some(state) = self.files(files)? {
            return Ok(state);
        }
        let lists = match self.cluster(wanted)? {
            Some(lists) => lists,
            None => self.live(wanted)?,
        };
        Ok(State { lists, folder: None })
    }

    /// The objects of the snapshot or the cluster that the options name; `None` if they name neither.
    pub(super) fn cluster(&self, wanted: Wanted) -> anyhow::Result<Option<Lists>> {
        if let Some(file) = &self.against {
            let (lists, created) = load(file)?;
            if wanted.notes {
                eprintln!("portcullis: note: {} was taken at {created}", sanitize(&file.display().to_string()));
            }
            return Ok(Some(lists));
        }
        if self.cluster.is_named() { self.live(wanted).map(Some) } else { Ok(None) }
    }

    fn live(&self, wanted: Wanted) -> anyhow::Result<Lists> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let options = ListOptions { progress: wanted.notes, instead: "--objects PATH or --against FILE" };
        match wanted.api_versions {
            true => runtime.block_on(listing::lists_with_api_versions(&self.cluster, wanted.kinds, options)),
            false => runtime.block_on(listing::lists(&self.cluster, wanted.kinds, options)),
        }
    }

    /// The objects in the files that the options name; `None` if the options name none.
    pub(super) fn files(&self, options: FileOptions<'_>) -> anyhow::Result<Option<State>> {
        if self.objects.is_empty() { Ok(None) } else { of_files(&self.objects, options).map(Some) }
    }
}

/// The objects in files.
pub(super) fn of_files(paths: &[PathBuf], options: FileOptions<'_>) -> anyhow::Result<State> {
    let FileOptions { namespace, complete, exclusion, variables, notes } = options;
    let mut folder = Folder::new(paths, all_if(complete)).excluding(exclusion).filling_in(variables);
    if let Some(namespace) = namespace {
        folder = folder.in_namespace(namespace);
    }
    let events = folder.refresh()?;
    folders::print_warnings(&folder, notes)?;
    if notes && folder.is_read_elsewhere() {
        eprintln!("portcullis: note: --objects contains only files that are checked, so the cluster is empty");
    }
    Ok(State { lists: Lists::of_folder(&folder, events), folder: Some(folder) })
}

/// Reads a snapshot, and the time at which it was taken.
fn load(file: &Path) -> anyhow::Result<(Lists, Timestamp)> {
    let loaded = File::open(file).map_err(anyhow::Error::from).and_then(|opened| Ok(Lists::load(opened)?));
    loaded.map_err(|error| {
        let hint = match error.downcast_ref() {
            Some(SnapshotError::TooLarge(_)) => "use --context for so large a cluster",
            _ if file.is_dir() => "use --objects for a folder of manifests",
            _ => "write one with `portcullis snapshot --context NAME >world.json.gz`",
        };
        anyhow::anyhow!("--against {}: {error:#}; {hint}", file.display())
    })
}
