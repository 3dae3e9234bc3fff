//! `portcullis claims`: HostClaims for what is served.

use std::process::ExitCode;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use jiff::Timestamp;

use super::plan::PlanArgs;
use super::source::{CompletenessArgs, Source};
use super::state::{PathArgs, StateArgs};
use super::{exit, print_text};
use portcullis_core::cluster::{Event, SyncState};
use portcullis_core::config::ConfigErrors;
use portcullis_core::kinds::{Kind, KindSet};
use portcullis_core::report::proposed_claims::{ProposedClaims, kinds};

/// Print the HostClaims for what is served.
#[derive(Debug, Subcommand)]
pub enum ClaimsCommand {
    /// Print a HostClaim for each host that one namespace serves and that has no owner yet, and name the hosts that several namespaces
    /// serve. Changes nothing.
    From(FromArgs),
}

/// The objects that serve hosts, and the configuration.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("source").required(true).multiple(true).args(["paths", "objects", "against", "kubeconfig", "context"]))]
pub struct FromArgs {
    #[command(flatten)]
    paths: PathArgs,
    #[command(flatten)]
    state: StateArgs,
    #[command(flatten)]
    completeness: CompletenessArgs,
    #[command(flatten)]
    plan: PlanArgs,
    /// The output format.
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

/// The output format.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Output {
    /// The claims as YAML for `kubectl apply`, with comments about the other hosts.
    #[default]
    Yaml,
    /// One JSON document.
    Json,
}

impl ClaimsCommand {
    /// Prints the claims. The exit code is 1 if a host is disputed or belongs to others than those who serve it, or else 3 if something
    /// could not be read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let Self::From(from) = self;
        from.run()
    }
}

impl FromArgs {
    fn run(mut self) -> anyhow::Result<ExitCode> {
        self.state.objects.append(&mut self.paths.paths);
        let plan = self.plan.plan(&self.state.cluster)?;
        if !self.state.objects.is_empty() && !self.completeness.complete {
            eprintln!("portcullis: note: HostClaims that are not in these files are not known");
        }
        let complete = self.completeness.kinds().union(KindSet::of(&[Kind::HostClaim]));
        let mut source = Source::of(&self.state, complete, kinds())?;
        let mut unread = source.unread();
        if !source.cluster.knows_all(Kind::HostClaim) {
            unread.push("HostClaims; some of these claims may exist already".to_owned());
            // Claims are proposed as if no others existed; the output says that others may.
            source.cluster.apply(Event::SyncState(Kind::HostClaim, SyncState::Complete));
        }
        let objects = source.stored();
        let proposed = ProposedClaims::of(&objects, &source.cluster, plan.config(), Timestamp::now());
        let proposed = proposed.map_err(ConfigErrors)?;
        print_text(&match self.output {
            Output::Yaml => proposed.yaml(&unread),
            Output::Json => proposed.json(&unread),
        })?;
        eprintln!("portcullis: {}", proposed.summary());
        Ok(ExitCode::from(match (proposed.has_disputes(), unread.is_empty() && proposed.is_complete()) {
            (true, _) => exit::FAILURE,
            (false, true) => exit::SUCCESS,
            (false, false) => exit::INCOMPLETE,
        }))
    }
}
