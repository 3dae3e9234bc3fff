//! The commands: each is one function that wires rooms together and decides nothing.

mod follow;
mod serve;
mod wellness;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::checks::Plan;
use crate::config::Config;

/// The gate in front of a Kubernetes cluster's north-south traffic.
#[derive(Debug, Parser)]
#[command(name = "portcullis", version, about)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the webhooks, for a cluster or for a folder of manifests.
    Serve(serve::Serve),
}

/// Exit codes of every command.
mod exit {
    /// Wrong arguments, configuration or files.
    pub(super) const USAGE: u8 = 2;
}

impl Cli {
    /// Runs the command; what went wrong is on standard error when this returns.
    pub fn run(self) -> ExitCode {
        let done = match self.command {
            Command::Serve(serve) => serve.run().map(|()| ExitCode::SUCCESS),
        };
        done.unwrap_or_else(|error| {
            eprintln!("portcullis: {error:#}");
            ExitCode::from(exit::USAGE)
        })
    }
}

/// The configuration file, for every command that runs checks.
#[derive(Debug, Clone, Args)]
struct ConfigArgs {
    /// The configuration file (YAML); without one, the profile `baseline`.
    #[arg(long, env = "PORTCULLIS_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}

/// The cluster to talk to.
#[derive(Debug, Clone, Args)]
struct ClusterArgs {
    /// The kubeconfig file [default: $KUBECONFIG, ~/.kube/config, or the pod's own account]
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// The context of the kubeconfig file.
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
}

impl ConfigArgs {
    /// The plan of the file, or of the defaults.
    fn plan(&self) -> anyhow::Result<Plan> {
        match &self.config {
            None => new_plan(Config::default()),
            Some(file) => {
                let text = std::fs::read_to_string(file);
                let text = text.map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))?;
                plan(&text).map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))
            }
        }
    }
}

/// The plan of a configuration text. All faults are in the error, a line each. An empty text is a fault: it may well be a file that is
/// just being written.
fn plan(text: &str) -> anyhow::Result<Plan> {
    new_plan(Config::parse(text)?)
}

fn new_plan(config: Config) -> anyhow::Result<Plan> {
    Plan::new(config).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        anyhow::anyhow!(lines.join("\n"))
    })
}
