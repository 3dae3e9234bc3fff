//! The commands: each is one function that wires rooms together and decides nothing.

mod access;
mod audit;
mod certs;
mod checks;
mod config;
mod explain;
mod folders;
mod lint;
mod listing;
mod manifests;
mod serve;
mod status;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use jiff::Timestamp;

use portcullis_core::checks::Plan;
use portcullis_core::config::{Config, Spanned};
use portcullis_core::kinds::Kind;
use portcullis_core::message::sanitize;
use portcullis_core::report::Report;

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
    Serve(Box<serve::Serve>),
    /// Judge manifests on disk; 0: all was read and nothing would be refused, 1: something would be refused, even if not all was read,
    /// 2: nothing would be refused of what was read, but not all was, or wrong usage.
    Lint(lint::Lint),
    /// Judge what a live cluster holds, read once, with nothing installed; exit codes as for lint.
    Audit(audit::Audit),
    /// Tell which object answers a request and why others do not; 0: somebody answers, 1: nobody does, 2: something that might answer
    /// cannot be read, or wrong usage.
    Explain(Box<explain::Explain>),
    /// Tell which IngressRoutes of a folder are valid, invalid or orphaned; 0: all was read, 2: something could not be read, or wrong usage.
    Status(status::Status),
    /// Make a development authority and a serving certificate, or reuse those that are there.
    Certs(certs::Certs),
    /// Show what is checked.
    #[command(subcommand)]
    Checks(checks::Checks),
    /// Ask about the configuration file.
    #[command(subcommand)]
    Config(config::Configuration),
    /// Print the webhook configurations and the ClusterRole that this version needs.
    Manifests(manifests::Manifests),
}

/// Exit codes of every command.
mod exit {
    use portcullis_core::report::Report;

    /// Nothing would be refused; somebody answers.
    pub(super) const CLEAN: u8 = 0;
    /// Something would be refused; nobody answers.
    pub(super) const REFUSED: u8 = 1;
    /// Wrong arguments, configuration or files; something was not read.
    pub(super) const USAGE: u8 = 2;

    /// What was found decides first, so that what was not read hides no refusal.
    pub(super) fn of(report: &Report) -> u8 {
        match (report.refused(), report.is_complete()) {
            (0, true) => CLEAN,
            (0, false) => USAGE,
            _ => REFUSED,
        }
    }
}

impl Cli {
    /// Runs the command; what went wrong is on standard error when this returns.
    pub fn run(self) -> ExitCode {
        let done = match self.command {
            Command::Serve(serve) => serve.run().map(|()| ExitCode::SUCCESS),
            Command::Lint(lint) => lint.run(),
            Command::Audit(audit) => audit.run(),
            Command::Explain(explain) => explain.run(),
            Command::Status(status) => status.run(),
            Command::Certs(certs) => certs.run().map(|()| ExitCode::SUCCESS),
            Command::Checks(checks) => checks.run().map(|()| ExitCode::SUCCESS),
            Command::Config(config) => config.run().map(|()| ExitCode::SUCCESS),
            Command::Manifests(manifests) => manifests.run().map(|()| ExitCode::SUCCESS),
        };
        done.unwrap_or_else(|error| {
            eprintln!("portcullis: {error:#}");
            ExitCode::from(exit::USAGE)
        })
    }
}

/// Prints to standard output; a reader who has seen enough (`| head`) is no error.
fn say(text: &str) -> anyhow::Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// The configuration file, for every command that runs checks.
#[derive(Debug, Clone, Args)]
struct ConfigArgs {
    /// The configuration file (YAML); without one, the profile `baseline`.
    #[arg(long, env = "PORTCULLIS_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// The namespaces that may hold roots of IngressRoutes, over what the configuration says; a trailing `*` stands for anything,
    /// and an empty list for all of them.
    #[arg(long, value_name = "NAMESPACE", value_delimiter = ',')]
    root_namespaces: Vec<String>,
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
    /// The plan of the file, or of the defaults; in this profile if one is given.
    fn plan(&self, profile: Option<&str>) -> anyhow::Result<Plan> {
        self.read(profile).map(|(plan, _)| plan)
    }

    /// The plan, and the text of the file that it comes from.
    fn read(&self, profile: Option<&str>) -> anyhow::Result<(Plan, Option<String>)> {
        let Some(file) = &self.config else { return Ok((self.new_plan(Config::default(), profile)?, None)) };
        let named = |error: anyhow::Error| anyhow::anyhow!("{}: {error}", file.display());
        let text = std::fs::read_to_string(file).map_err(|error| named(error.into()))?;
        Ok((self.plan_of(&text, profile).map_err(named)?, Some(text)))
    }

    /// The plan of a configuration text. All faults are in the error, a line each. An empty text is a fault: it may well be a file that is
    /// just being written.
    fn plan_of(&self, text: &str, profile: Option<&str>) -> anyhow::Result<Plan> {
        self.new_plan(Config::parse(text)?, profile)
    }

    fn new_plan(&self, mut config: Config, profile: Option<&str>) -> anyhow::Result<Plan> {
        if let Some(profile) = profile {
            config.profile = Some(Spanned::without_position(profile.to_owned()));
        }
        if !self.root_namespaces.is_empty() {
            let kind = Spanned::without_position(Kind::IngressRoute.api().kind.to_owned());
            config.root_namespaces.remove(&kind);
            let named = self.root_namespaces.iter().filter(|namespace| !namespace.is_empty());
            let named: Vec<_> = named.cloned().map(Spanned::without_position).collect();
            if !named.is_empty() {
                config.root_namespaces.insert(kind, named);
            }
        }
        Plan::new(config).map_err(|errors| {
            let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
            anyhow::anyhow!(lines.join("\n"))
        })
    }
}

/// Tells which bundle of the Gateway API is assumed where a finding hangs on its channel, and how to say which one there is.
fn say_assumed(report: &Report) {
    if let Some(bundle) = report.assumed {
        eprintln!(
            "portcullis: note: bundle {bundle} of the Gateway API is assumed, and some warnings hold only in that channel; \
             set `gatewayBundle: {{version: \"{}.{}\", channel: standard}}` or `channel: experimental` in the configuration",
            bundle.release.0, bundle.release.1
        );
    }
}

/// Tells of the exemptions that let something pass and end soon, and of what the configuration lets pass no more.
fn say_ending(plan: &Plan, report: &Report, now: Timestamp) {
    for notice in plan.config().expired(now) {
        eprintln!("portcullis: warning: {}", sanitize(&notice.to_string()));
    }
    for position in &report.expiring {
        eprintln!("portcullis: {}", sanitize(&plan.config().exemptions[*position].notice()));
    }
}
