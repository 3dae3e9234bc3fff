//! `portcullis config explain`: which action each check has for a write, and which line decides.

use std::collections::BTreeSet;
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use jiff::Timestamp;

use super::objects::ObjectsArgs;
use super::{exit, print_text};
use crate::cli::plan::PlanArgs;
use crate::cli::user::UserArgs;
use portcullis_core::checks::Plan;
use portcullis_core::checks::decision::{Decision, DecisionStep};
use portcullis_core::cluster::{Cluster, Event, Facts, Lookup, NamespaceFacts, Overlay, Subject, SyncState};
use portcullis_core::finding::Action;
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};
use portcullis_core::message::sanitize;
use portcullis_core::names::glob;
use portcullis_core::report::catalog::unknown_id;
use portcullis_core::report::namespace_not_found;

/// Show which action each check has for a write, and which line of the configuration decides.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    #[command(flatten)]
    subject: SubjectArgs,
    /// The kind of the object.
    #[arg(long, value_name = "KIND", default_value = "Ingress", value_parser = parse_kind)]
    kind: Kind,
    /// Only this check, with every part of the configuration that sets its action; a trailing `*` matches anything.
    #[arg(long, value_name = "ID")]
    check: Option<String>,
}

/// What decides about a write, but for the kind of its object: the configuration, the namespace, the class and the user.
#[derive(Debug, Args)]
pub(in crate::cli) struct SubjectArgs {
    #[command(flatten)]
    plan: PlanArgs,
    /// The namespace of the object; without one, an object without a namespace is meant.
    #[arg(long, short, value_name = "NAME", default_value = "")]
    pub namespace: String,
    /// The labels of the namespace, such as team=shop,tier=gold. Without this option they are not known; `--labels ''` means none.
    #[arg(
        long,
        value_name = "KEY=VALUE",
        value_delimiter = ',',
        value_parser = parse_label,
        conflicts_with_all = ["objects", "against", "context", "kubeconfig"]
    )]
    labels: Option<Vec<(String, String)>>,
    #[command(flatten)]
    objects: ObjectsArgs,
    /// The class of the object.
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    #[command(flatten)]
    pub user: UserArgs,
}

fn parse_label(written: &str) -> Result<(String, String), String> {
    match written.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ if written.is_empty() => Ok((String::new(), String::new())),
        _ => Err("must be KEY=VALUE".to_owned()),
    }
}

fn parse_kind(written: &str) -> Result<Kind, String> {
    let kinds = || KindSet::VALIDATED.iter();
    kinds().find(|kind| kind.api().kind == written).ok_or_else(|| {
        let names: BTreeSet<&str> = kinds().map(|kind| kind.api().kind).collect();
        format!("use one of {}", names.into_iter().collect::<Vec<_>>().join(", "))
    })
}

impl ExplainArgs {
    /// Prints a line for each check, or every part of the configuration for the checks that are asked for.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (plan, decisions) = self.subject.decide(self.kind)?;
        match &self.check {
            None => print_text(&list(&plan, &decisions))?,
            Some(pattern) => {
                let meant: Vec<_> = decisions.iter().filter(|decision| glob(pattern, decision.check.id)).collect();
                if meant.is_empty() {
                    bail!(unknown_id(pattern));
                }
                let chains: Vec<String> = meant.into_iter().map(|decision| chain(&plan, decision)).collect();
                print_text(&chains.join("\n"))?;
            }
        }
        Ok(ExitCode::from(exit::SUCCESS))
    }
}

impl SubjectArgs {
    /// The configuration, and what it decides about each check for an object of `kind`. Prints what is not known.
    pub fn decide(&self, kind: Kind) -> anyhow::Result<(Plan, Vec<Decision>)> {
        let plan = self.plan.plan(&self.objects.state.cluster)?;
        let cluster = self.cluster()?;
        let object = ObjectRef::new(kind, &self.namespace, "");
        let (class, user) = (self.class.as_deref(), self.user.user());
        let subject = Subject { kind, class, namespace: &self.namespace, user };
        let decisions = plan.decide(&subject, &Overlay::new(&cluster, &object), Timestamp::now());
        if decisions.is_uncertain {
            eprintln!(
                "portcullis: note: the labels of the namespace are not known, and may change what is shown; give them with --labels, --objects, --against or --context"
            );
        }
        if let Some(error) = &decisions.label_error {
            eprintln!("portcullis: note: {}", sanitize(error));
        }
        let checks = decisions.checks;
        Ok((plan, checks))
    }

    /// A cluster in which nothing is known but Namespaces: those that are read, or that of the object if its labels are given.
    fn cluster(&self) -> anyhow::Result<Cluster> {
        if self.objects.is_given() {
            let (cluster, existing) = self.objects.read_namespaces()?;
            let this = ObjectRef::new(Kind::Namespace, "", &self.namespace);
            let is_absent = matches!(Overlay::new(&cluster, &this).namespace(&self.namespace), Lookup::Absent);
            if is_absent && !self.namespace.is_empty() {
                bail!("--namespace: {}", namespace_not_found(&self.namespace, &existing));
            }
            return Ok(cluster);
        }
        let mut cluster = Cluster::default();
        if let Some(labels) = &self.labels {
            let labels = labels.iter().filter(|(key, _)| !key.is_empty());
            let labels = labels.map(|(key, value)| (key.as_str().into(), value.as_str().into()));
            let facts = NamespaceFacts::new(&self.namespace, labels);
            cluster.apply(Event::Apply(Facts::Namespace(facts)));
            cluster.apply(Event::SyncState(Kind::Namespace, SyncState::Complete));
        }
        Ok(cluster)
    }
}

/// A line for each check that is not off, and the number of those that are.
fn list(plan: &Plan, decisions: &[Decision]) -> String {
    let enabled = || decisions.iter().filter(|decision| decision.action() != Action::Off);
    let widest = enabled().map(|decision| decision.check.id.len()).max().unwrap_or_default();
    let lines = enabled().filter_map(|decision| {
        let step = decision.deciding()?;
        let (action, reason) = match exemption(plan, decision) {
            Some(exemption) => ("Exempt", exemption),
            None => (decision.action().name(), source(step)),
        };
        Some(format!("{action:6}  {:widest$}  {reason}\n", decision.check.id))
    });
    let lines: String = lines.collect();
    let off = decisions.len() - enabled().count();
    format!("{lines}{off} checks are off\n")
}

/// Every part of the configuration that sets the action of a check.
pub(in crate::cli) fn chain(plan: &Plan, decision: &Decision) -> String {
    const DECIDES: &str = "  <- decides";
    let last = decision.steps.len();
    let exempt =
        exemption(plan, decision).map(|exemption| format!("  Exempt  {exemption}{DECIDES}\n")).unwrap_or_default();
    let lines = decision.steps.iter().enumerate().map(|(position, step)| {
        let decides = if exempt.is_empty() && position + 1 == last { DECIDES } else { "" };
        format!("  {:6}  {}{decides}\n", step.action.name(), source(step))
    });
    let action = if exempt.is_empty() { decision.action().name() } else { "Exempt" };
    format!("{}: {action}\n{}{exempt}", decision.check.id, lines.collect::<String>())
}

fn exemption(plan: &Plan, decision: &Decision) -> Option<String> {
    let position = decision.exemption?;
    let reason = &plan.config().exemptions[position].reason;
    Some(format!("exemptions[{position}] ({}): {}", reason.at, reason.value))
}

/// The part of the configuration, and where it is written.
fn source(step: &DecisionStep) -> String {
    let at = step.at.to_string();
    if at.is_empty() { format!("{} (default)", step.source) } else { format!("{} ({at})", step.source) }
}
