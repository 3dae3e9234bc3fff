//! `portcullis export`: what the API server can deny by itself.

use clap::{Args, Subcommand};
use jiff::Timestamp;

use super::plan::PlanArgs;
use super::{ClusterArgs, print_text};
use crate::manifests::{PolicyOptions, policies};

/// Print what the API server can deny by itself.
#[derive(Debug, Subcommand)]
pub enum ExportCommand {
    /// Print ValidatingAdmissionPolicies, which hold while no replica answers, and what they leave to the webhook. They are for the ownership
    /// of hosts, classes, and required labels and annotations.
    Policies(PoliciesArgs),
}

/// The configuration.
#[derive(Debug, Args)]
pub struct PoliciesArgs {
    #[command(flatten)]
    cluster: ClusterArgs,
    #[command(flatten)]
    plan: PlanArgs,
    /// A namespace whose objects the webhook does not check, beside kube-system; can be repeated, and replaces the default.
    #[arg(long = "exempt-namespace", value_name = "NAMESPACE", default_value = "portcullis")]
    exempt_namespaces: Vec<String>,
    /// Print policies for HostClaims, too. They read the HostGrants that `serve --controller` keeps.
    #[arg(long)]
    host_claims: bool,
}

impl ExportCommand {
    /// Prints the policies as YAML. Fails if the configuration denies nothing that can be exported.
    pub fn run(self) -> anyhow::Result<()> {
        let Self::Policies(args) = self;
        let plan = args.plan.plan(&args.cluster)?;
        let options = PolicyOptions { exempt_namespaces: &args.exempt_namespaces, host_claims: args.host_claims };
        let policies = policies(&plan, &options, Timestamp::now()).map_err(anyhow::Error::msg)?;
        print_text(&policies.yaml)?;
        for text in &policies.left_out {
            eprintln!("portcullis: note: left to the webhook: {text}");
        }
        Ok(())
    }
}
