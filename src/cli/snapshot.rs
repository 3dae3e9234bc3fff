//! `portcullis snapshot`: saves what checks look up in a live cluster, for `lint --against`.

use std::io::{self, IsTerminal};

use clap::Args;
use jiff::Timestamp;

use super::{ClusterArgs, listing};
use portcullis_core::kinds::{Kind, KindSet};

/// Write a compressed snapshot of a live cluster to standard output, for `lint --against`. Reads only. It contains the
/// objects that checks look up, and no Secrets.
#[derive(Debug, Args)]
pub struct SnapshotArgs {
    #[command(flatten)]
    cluster: ClusterArgs,
}

impl SnapshotArgs {
    /// Writes the snapshot. A kind that is not readable (RBAC) is recorded as such.
    pub fn run(&self) -> anyhow::Result<()> {
        let stdout = io::stdout();
        anyhow::ensure!(
            !stdout.is_terminal(),
            "a snapshot is not text: redirect the output, for example to world.json.gz"
        );
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let lists = runtime.block_on(listing::lists_with_api_versions(&self.cluster, KindSet::of(&Kind::ALL)))?;
        lists.forbidden().for_each(|kind| {
            eprintln!("portcullis: {} are not readable (RBAC), so the snapshot does not contain them", kind.resource());
        });
        Ok(lists.save(Timestamp::now(), stdout.lock())?)
    }
}
