//! `portcullis remove-finalizers`: lets GatewayClasses be deleted once Portcullis is uninstalled.

use std::process::ExitCode;

use anyhow::anyhow;
use clap::Args;

use super::{ClusterArgs, exit};
use crate::controller::{RemovedFinalizers, remove_finalizers};
use portcullis_core::message::sanitize;

/// Remove the finalizer that Portcullis has set on GatewayClasses; one that another controller has set stays.
#[derive(Debug, Args)]
pub struct RemoveFinalizersArgs {
    #[command(flatten)]
    cluster: ClusterArgs,
}

impl RemoveFinalizersArgs {
    /// Prints what became of each class with the finalizer. The exit code is 1 if it could not be removed from one of them.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let done = runtime.block_on(self.remove())?;
        super::print_text(&render(&done))?;
        for (class, message) in &done.failed {
            eprintln!("portcullis: GatewayClass {class}: the finalizer could not be removed: {}", sanitize(message));
        }
        Ok(ExitCode::from(if done.failed.is_empty() { exit::SUCCESS } else { exit::FAILURE }))
    }

    async fn remove(&self) -> anyhow::Result<RemovedFinalizers> {
        // Requests are repeated there.
        let client = self.cluster.watching_client().await?;
        remove_finalizers(&client).await.map_err(|error| anyhow!(error.explain()))
    }
}

fn render(RemovedFinalizers { removed, foreign, failed }: &RemovedFinalizers) -> String {
    let foreign = foreign.iter().map(|class| (class, "finalizer left, because Portcullis has not set it"));
    let lines = removed.iter().map(|class| (class, "finalizer removed")).chain(foreign);
    let lines: String = lines.map(|(class, what)| format!("GatewayClass {class}: {what}\n")).collect();
    if lines.is_empty() && failed.is_empty() { "no GatewayClass has the finalizer\n".to_owned() } else { lines }
}
