//! `portcullis disarm`: admits writes that cannot be reviewed, at once.

use std::process::ExitCode;

use anyhow::anyhow;
use clap::Args;

use super::{ClusterArgs, exit};
use crate::enforcement::{self, Disarmed};
use portcullis_core::message::sanitize;

/// Set `failurePolicy: Ignore` in all entries, at once and whatever the state of the replicas.
#[derive(Debug, Args)]
pub struct DisarmArgs {
    #[command(flatten)]
    cluster: ClusterArgs,
    /// The ValidatingWebhookConfiguration and the MutatingWebhookConfiguration to change.
    #[arg(long, value_name = "NAME", default_value = "portcullis")]
    webhook_configurations: String,
    /// Delete the bindings of the policies of `portcullis export policies`, too, which hold without Portcullis.
    #[arg(long)]
    policies: bool,
}

impl DisarmArgs {
    /// Prints each entry that was changed. The exit code is 1 if a configuration could not be changed, or a binding not be deleted.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (all, unbound) =
            runtime.block_on(self.disarm()).map_err(|error| anyhow!("{error:#}; {}", self.last_resort()))?;
        for one in &all {
            self.print(one)?;
        }
        for (binding, deleted) in &unbound {
            match deleted {
                Ok(()) => super::print_text(&format!("ValidatingAdmissionPolicyBinding {binding} deleted\n"))?,
                Err(error) => {
                    let error = sanitize(error);
                    eprintln!("portcullis: ValidatingAdmissionPolicyBinding {binding} could not be deleted: {error}");
                }
            }
        }
        if all.iter().any(|one| one.changes.is_err()) {
            eprintln!("portcullis: {}", self.last_resort());
            return Ok(ExitCode::from(exit::FAILURE));
        }
        let is_unbound = unbound.iter().all(|(_, deleted)| deleted.is_ok());
        Ok(ExitCode::from(if is_unbound { exit::SUCCESS } else { exit::FAILURE }))
    }

    async fn disarm(&self) -> anyhow::Result<([Disarmed; 2], Vec<(String, Result<(), String>)>)> {
        // Requests are repeated here.
        let client = self.cluster.watching_client().await?;
        let all = enforcement::disarm(&client, &self.webhook_configurations).await;
        Ok((all, if self.policies { enforcement::unbind(&client).await } else { Vec::new() }))
    }

    /// What helps if this command fails, for example because it cannot reach the API server by the kubeconfig of kubectl.
    fn last_resort(&self) -> String {
        format!("as a last resort, run `kubectl delete validatingwebhookconfiguration {}`", self.webhook_configurations)
    }

    fn print(&self, Disarmed { kind, is_recorded, changes }: &Disarmed) -> anyhow::Result<()> {
        let name = &self.webhook_configurations;
        match changes {
            Ok(None) => super::print_text(&format!("{kind} {name} not found\n")),
            Ok(Some(changes)) => {
                let line = |entry: &str| format!("{}: failurePolicy set to Ignore\n", sanitize(entry));
                let mut lines: String = changes.iter().map(|change| line(&change.entry)).collect();
                if changes.is_empty() {
                    lines = format!("{kind} {name}: no entry has Fail\n");
                }
                if *is_recorded {
                    lines +=
                        &format!("{kind} {name}: replicas with --enforce set Fail again only after `portcullis arm`\n");
                }
                super::print_text(&lines)
            }
            Err(message) => {
                eprintln!("portcullis: {kind} {name} could not be changed: {}", sanitize(message));
                Ok(())
            }
        }
    }
}
