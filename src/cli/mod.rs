//! The commands. Each is one function that connects modules and decides nothing.

mod access;
mod arm;
mod audit;
mod can_i;
mod certificate;
mod certs;
mod checks;
mod claims;
mod compare;
mod config;
mod config_map;
mod controller;
mod demo;
mod disarm;
mod duration;
mod enforce;
mod explain;
mod export;
mod findings;
mod folders;
mod generate;
mod help;
mod issuer;
mod lease;
mod lint;
mod listing;
mod maintain;
mod manifests;
mod named_value;
mod namespaced_name;
mod plan;
mod progress;
mod record;
mod remove_finalizers;
mod serve;
mod shutdown;
mod snapshot;
mod source;
mod state;
mod status;
mod user;
mod why;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, FromArgMatches, Parser, Subcommand};
use jiff::Timestamp;

use crate::files::read_configuration;
use crate::watch::{self, ApiClient, WatchError};
use portcullis_core::checks::Plan;
use portcullis_core::config::{Config, ConfigErrors, ConfigFile, Spanned};
use portcullis_core::kinds::Kind;
use portcullis_core::message::sanitize;
use portcullis_core::report::Report;

/// An admission webhook for the Ingress, Gateway API, IngressRoute and HTTPProxy objects of a Kubernetes cluster.
#[derive(Debug, Parser)]
#[command(name = "portcullis", version, about)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show what the webhooks, lint and explain answer, without a cluster.
    Demo(demo::DemoArgs),
    /// Serve the webhooks, for a cluster or for a folder of manifests.
    Serve(Box<serve::ServeArgs>),
    /// Keep the CA and the webhook configurations up to date.
    ///
    /// For replicas that only read them (`serve --ca-read-only`).
    Maintain(Box<maintain::MaintainArgs>),
    /// Check manifests in files, folders, kustomizations and charts.
    Lint(Box<lint::LintArgs>),
    /// Check what a cluster holds, with nothing installed in it.
    ///
    /// Or what a snapshot or files hold.
    Audit(audit::AuditArgs),
    /// Write what a cluster holds to standard output, for lint --against.
    Snapshot(snapshot::SnapshotArgs),
    /// Show which object answers a request, and why others do not.
    Explain(Box<explain::ExplainArgs>),
    /// Show which requests a change or a migration answers differently.
    Compare(Box<compare::CompareArgs>),
    /// Show whether a namespace may serve a URL.
    #[command(name = "can-i", subcommand)]
    CanI(Box<can_i::CanICommand>),
    /// Print the HostClaims for what is served, and which hosts are disputed.
    #[command(subcommand)]
    Claims(Box<claims::ClaimsCommand>),
    /// Print what the API server can deny by itself.
    #[command(subcommand)]
    Export(export::ExportCommand),
    /// Show why a write was denied, by the text of the denial.
    Why(Box<why::WhyArgs>),
    /// Show the status that the controller would write for each object.
    ///
    /// Or, with `--compare`, what differs in the statuses that controllers wrote.
    Status(status::StatusArgs),
    /// Refuse writes while no replica answers.
    ///
    /// Sets `failurePolicy: Fail`, once every replica has denied a dry run. With `--dry-run`, only proves that they do.
    Arm(arm::ArmArgs),
    /// Stop enforcement immediately: admit writes while no replica answers.
    ///
    /// Sets `failurePolicy: Ignore`. What a replica can check is still denied where it is wrong.
    Disarm(disarm::DisarmArgs),
    /// Remove the finalizer from GatewayClasses, after Portcullis was uninstalled.
    ///
    /// It is there with `status.gatewayClassFinalizer`.
    RemoveFinalizers(remove_finalizers::RemoveFinalizersArgs),
    /// Create a development CA and a serving certificate, or reuse existing ones.
    Certs(certs::CertsArgs),
    /// List checks and defaults, or show the page of one.
    #[command(subcommand)]
    Checks(checks::ChecksCommand),
    /// Check, explain, compare or test a configuration.
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Print the webhook configurations and the ClusterRole that this version needs.
    Manifests(manifests::ManifestsArgs),
    /// Print the completions of the command line for a shell.
    Completions(generate::CompletionsArgs),
    /// Write a man page for each command into a folder.
    Man(generate::ManArgs),
}

/// The exit codes of all commands.
mod exit {
    use portcullis_core::finding::Action;
    use portcullis_core::report::Report;

    /// Nothing would be denied; an object answers; enforcement is as requested.
    pub(super) const SUCCESS: u8 = 0;
    /// Something would be denied; no object answers; a status differs; a host is disputed; enforcement is as before.
    pub(super) const FAILURE: u8 = 1;
    /// Wrong arguments, configuration or files; no access to the cluster.
    pub(super) const ERROR: u8 = 2;
    /// Something was not read, so the result is incomplete.
    pub(super) const INCOMPLETE: u8 = 3;

    /// The exit code of a report. A finding takes precedence over documents that were not read.
    pub(super) fn of(report: &Report, fail_on: Action) -> u8 {
        let has_failed = report.with_findings().any(|entry| entry.has_at_least(fail_on));
        match (has_failed, report.is_checked()) {
            (true, _) => FAILURE,
            (false, true) => SUCCESS,
            (false, false) => INCOMPLETE,
        }
    }
}

impl Cli {
    /// The command line of this process. Ends it after wrong usage, or a request for help.
    pub fn of_process() -> Self {
        let mut command = help::command();
        let matches = command.get_matches_mut();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command).exit())
    }

    /// Runs the command and prints errors to standard error.
    pub fn run(self) -> ExitCode {
        let done = match self.command {
            Command::Demo(demo) => demo.run(),
            Command::Serve(serve) => serve.run().map(|()| ExitCode::SUCCESS),
            Command::Maintain(maintain) => maintain.run().map(|()| ExitCode::SUCCESS),
            Command::Lint(lint) => lint.run(),
            Command::Audit(audit) => audit.run(),
            Command::Snapshot(snapshot) => snapshot.run(),
            Command::Explain(explain) => explain.run(),
            Command::Compare(compare) => compare.run(),
            Command::CanI(can_i) => can_i.run(),
            Command::Claims(claims) => claims.run(),
            Command::Export(export) => export.run().map(|()| ExitCode::SUCCESS),
            Command::Why(why) => why.run(),
            Command::Completions(completions) => completions.run().map(|()| ExitCode::SUCCESS),
            Command::Man(man) => man.run().map(|()| ExitCode::SUCCESS),
            Command::Status(status) => status.run(),
            Command::Arm(arm) => arm.run(),
            Command::Disarm(disarm) => disarm.run(),
            Command::RemoveFinalizers(remove) => remove.run(),
            Command::Certs(certs) => certs.run().map(|()| ExitCode::SUCCESS),
            Command::Checks(checks) => checks.run().map(|()| ExitCode::SUCCESS),
            Command::Config(config) => config.run(),
            Command::Manifests(manifests) => manifests.run().map(|()| ExitCode::SUCCESS),
        };
        done.unwrap_or_else(|error| {
            print_error(&error);
            ExitCode::from(exit::ERROR)
        })
    }
}

/// Prints an error to standard error, and each error of a configuration on a line of its own.
fn print_error(error: &anyhow::Error) {
    match error.downcast_ref::<ConfigErrors>() {
        Some(ConfigErrors(errors)) => {
            errors.iter().for_each(|error| eprintln!("portcullis: {}", sanitize(&error.to_string())))
        }
        None => {
            let text = format!("{error:#}");
            eprintln!("portcullis: {}", text.split('\n').map(sanitize).collect::<Vec<_>>().join("\n"));
        }
    }
}

/// Prints to standard output. A reader that closes the pipe early (`| head`) is not an error.
fn print_text(text: &str) -> anyhow::Result<()> {
    ignore_closed_pipe(io::stdout().write_all(text.as_bytes()))
}

fn ignore_closed_pipe(written: io::Result<()>) -> anyhow::Result<()> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// The configuration file, for every command that runs checks.
#[derive(Debug, Clone, Args)]
struct ConfigArgs {
    /// The configuration: a YAML or JSON file, or a folder of such files, which are read in the order of their names and merged; without
    /// one, the profile `baseline` applies.
    #[arg(long, env = "PORTCULLIS_CONFIG", value_name = "PATH")]
    config: Option<PathBuf>,
    /// The namespaces that may hold root IngressRoutes; overrides the configuration. A trailing `*` matches anything,
    /// and an empty list allows all namespaces.
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

impl ClusterArgs {
    /// Whether the command line names a cluster.
    const fn is_named(&self) -> bool {
        self.kubeconfig.is_some() || self.context.is_some()
    }

    /// A client for single requests.
    async fn client(&self) -> Result<ApiClient, WatchError> {
        ApiClient::new(self.kubeconfig.as_deref(), self.context.as_deref()).await
    }

    /// A client that does not retry by itself, for loops that do.
    async fn watching_client(&self) -> Result<kube::Client, WatchError> {
        watch::watching_client(self.kubeconfig.as_deref(), self.context.as_deref()).await
    }
}

impl ConfigArgs {
    /// The configuration at `path`, without options that override it.
    const fn only(path: Option<PathBuf>) -> Self {
        Self { config: path, root_namespaces: Vec::new() }
    }

    /// The plan of the configuration that `stored` names, or else of this one.
    fn or_stored(
        &self,
        stored: &plan::StoredConfigArgs,
        profile: Option<&str>,
        cluster: &ClusterArgs,
    ) -> anyhow::Result<Plan> {
        match stored.plan(self, profile, cluster)? {
            Some(plan) => Ok(plan),
            None => self.plan(profile),
        }
    }

    /// The plan of the configuration file, or of the defaults. `profile` overrides the profile of the file.
    fn plan(&self, profile: Option<&str>) -> anyhow::Result<Plan> {
        self.read(profile).map(|(plan, _)| plan)
    }

    /// The plan, and the files that it comes from.
    fn read(&self, profile: Option<&str>) -> anyhow::Result<(Plan, Option<Vec<ConfigFile>>)> {
        let Some(path) = &self.config else {
            let mut config = Config::default();
            self.adjust(&mut config, profile);
            return Ok((Plan::new(config).map_err(ConfigErrors)?, None));
        };
        let files = read_configuration(path)?;
        Ok((self.plan_of(&files, profile)?, Some(files)))
    }

    /// The plan of the files of a configuration. The error lists all faults, one per line. An empty file is a fault, because it may be
    /// in the middle of being written.
    fn plan_of(&self, files: &[ConfigFile], profile: Option<&str>) -> anyhow::Result<Plan> {
        Ok(Plan::read(files, |config| self.adjust(config, profile))?)
    }

    /// Changes what options override.
    fn adjust(&self, config: &mut Config, profile: Option<&str>) {
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
    }
}

/// Prints which release of the Gateway API is assumed if a finding depends on its channel, and how to configure it.
fn print_assumed_bundle(report: &Report) {
    if let Some(bundle) = report.assumed {
        eprintln!(
            "portcullis: note: bundle {bundle} of the Gateway API is assumed, and some warnings apply only to its channel; to say which \
             bundle is installed, set `gatewayBundle: {{version: \"{}.{}\", channel: standard}}` (or `experimental`) in the configuration",
            bundle.release.0, bundle.release.1
        );
    }
}

/// Prints the exemptions that were used and expire soon, and the expired parts of the configuration.
fn print_expirations(plan: &Plan, report: &Report, now: Timestamp) {
    for notice in plan.config().expired(now) {
        eprintln!("portcullis: warning: {}", sanitize(&notice.to_string()));
    }
    for position in &report.expiring {
        eprintln!("portcullis: {}", sanitize(&plan.config().exemptions[*position].notice()));
    }
}
