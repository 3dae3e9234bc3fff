//! `portcullis arm`: denies writes that cannot be reviewed, once every replica is known to answer.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::duration::parse_duration;
use super::{ClusterArgs, exit};
use crate::enforcement::{self, ArmError, ArmOptions, Armed};
use portcullis_core::message::sanitize;

/// Set `failurePolicy: Fail`, after every replica has denied a dry run that it must deny.
#[derive(Debug, Args)]
pub struct ArmArgs {
    #[command(flatten)]
    cluster: ClusterArgs,
    /// The namespace of the dry runs, which the webhooks must not exempt.
    #[arg(long, value_name = "NAMESPACE", default_value = "default")]
    namespace: String,
    /// The ValidatingWebhookConfiguration to change.
    #[arg(long, value_name = "NAME", default_value = "portcullis")]
    webhook_configurations: String,
    /// How long to wait for every replica.
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = parse_duration)]
    timeout: Duration,
    /// The port of `/readyz` in the pods, for the advice on a replica that does not answer.
    #[arg(long, value_name = "PORT", default_value_t = 8080)]
    health_port: u16,
    /// Prove that every replica answers, and change nothing.
    #[arg(long)]
    dry_run: bool,
}

impl ArmArgs {
    /// Prints what was proven and what was set. The exit code is 1 if a replica did not answer, so that nothing was set.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let is_dry_run = self.dry_run;
        match runtime.block_on(self.arm())? {
            Ok(armed) => {
                super::print_text(&render(&armed, is_dry_run))?;
                Ok(ExitCode::from(exit::SUCCESS))
            }
            Err(refusal) => {
                refused(&refusal);
                Ok(ExitCode::from(exit::FAILURE))
            }
        }
    }

    /// The inner error is a refusal.
    async fn arm(self) -> anyhow::Result<Result<Armed, ArmError>> {
        // Canaries are repeated here, and each answer counts.
        let client = self.cluster.watching_client().await?;
        let options = ArmOptions {
            configuration: self.webhook_configurations,
            namespace: self.namespace,
            timeout: self.timeout,
            request_deadline: enforcement::DEADLINE,
            health_port: self.health_port,
            honors_disarm: false,
            is_dry_run: self.dry_run,
        };
        match enforcement::arm(&client, &options).await {
            Err(error) if !error.is_refusal() => Err(error.into()),
            outcome => Ok(outcome),
        }
    }
}

/// One line for each replica, and for each entry that was changed, or would be.
fn render(armed: &Armed, is_dry_run: bool) -> String {
    let proven = armed.proof.replicas().map(|replica| format!("{replica}: denied the canary\n"));
    let set = if is_dry_run { "would be set" } else { "set" };
    let set =
        armed.changes.iter().map(|change| format!("{}: failurePolicy {set} to {}\n", change.entry, change.policy));
    let nothing = armed.changes.is_empty().then(|| "failurePolicy is already Fail\n".to_owned());
    let way_out = "writes are denied while no replica answers; to stop that immediately: portcullis disarm\n";
    let way_out = (!is_dry_run).then(|| way_out.to_owned());
    let lines = proven.chain(set).chain(nothing).chain(way_out);
    lines.map(|line| sanitize(line.trim_end()) + "\n").collect()
}

fn refused(refusal: &ArmError) {
    eprintln!("portcullis: not armed, nothing was changed: {}", sanitize(&refusal.to_string()));
    if let ArmError::NotProven(missing) = refusal {
        missing.advice().iter().for_each(|line| eprintln!("portcullis: {}", sanitize(line)));
    }
}
