//! `portcullis snapshot`: saves what checks look up in a live cluster or in files, for `--against`.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;

use super::listing::ListOptions;
use super::state::{FileArgs, FileOptions, PathArgs, State, of_files};
use super::{ClusterArgs, exit, listing};
use crate::files::{Locator, Unread, UnreadCause};
use crate::watch::Lists;
use portcullis_core::kinds::KindSet;

/// Write a compressed snapshot of a live cluster, or of manifests, to standard output, for `lint --against` and `audit --against`. Reads only.
/// It contains the objects that checks look up, and no Secrets.
#[derive(Debug, Args)]
pub struct SnapshotArgs {
    #[command(flatten)]
    paths: PathArgs,
    /// Save the manifests in this file or folder as the objects of a cluster, instead of a live one; may be repeated.
    #[arg(long, value_name = "PATH", group = "files", conflicts_with_all = ["kubeconfig", "context"])]
    objects: Vec<PathBuf>,
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    cluster: ClusterArgs,
}

impl SnapshotArgs {
    /// Writes the snapshot. What is not read is recorded as such: documents in files, and kinds that are not readable (RBAC). The exit code
    /// is 3 then.
    pub fn run(mut self) -> anyhow::Result<ExitCode> {
        self.objects.append(&mut self.paths.paths);
        let stdout = io::stdout();
        anyhow::ensure!(
            !stdout.is_terminal(),
            "a snapshot is not text: redirect the output, for example to world.json.gz"
        );
        let options = self.files.options(true)?;
        let lists = if self.objects.is_empty() { self.live()? } else { self.files(options)? };
        lists.save(Timestamp::now(), stdout.lock())?;
        let is_complete = lists.unread.is_empty() && lists.forbidden().next().is_none();
        Ok(ExitCode::from(if is_complete { exit::SUCCESS } else { exit::INCOMPLETE }))
    }

    fn live(&self) -> anyhow::Result<Lists> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let options = ListOptions { progress: true, instead: "--objects PATH" };
        let lists = listing::lists_with_api_versions(&self.cluster, KindSet::EVERY, options);
        let lists = runtime.block_on(lists)?;
        lists.forbidden().for_each(|kind| {
            eprintln!("portcullis: {} are not readable (RBAC), so the snapshot does not contain them", kind.resource());
        });
        Ok(lists)
    }

    fn files(&self, options: FileOptions<'_>) -> anyhow::Result<Lists> {
        let State { mut lists, folder } = of_files(&self.objects, options)?;
        lists.unread.extend(folder.iter().flat_map(|folder| Locator::new(folder).other_definitions()));
        let consequence = |unread: &Unread| match unread.cause {
            // An object with a field of the wrong type is in it as it is.
            UnreadCause::WrongType => "",
            _ => "; the snapshot does not contain it",
        };
        super::folders::print_consequences(lists.unread.iter().map(|unread| (unread, consequence(unread))));
        Ok(lists)
    }
}
