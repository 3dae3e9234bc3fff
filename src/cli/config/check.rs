//! `portcullis config check`: reports the errors of a configuration, and what has no effect.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;

use super::objects::ObjectsArgs;
use super::{ConfigArgs, exit, print_text};
use crate::cli::plan::StoredConfigArgs;
use portcullis_core::checks::Plan;
use portcullis_core::config::Config;
use portcullis_core::finding::Action;
use portcullis_core::message::sanitize;

/// Report all errors of a configuration, and what has no effect.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The configuration: a YAML or JSON file, or a folder of such files.
    #[arg(value_name = "PATH", required_unless_present_any = ["config", "config_map"], conflicts_with = "config_map")]
    path: Option<PathBuf>,
    /// The same as PATH, as for the commands that use a configuration.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["path", "config_map"])]
    config: Option<PathBuf>,
    #[command(flatten)]
    stored: StoredConfigArgs,
    #[command(flatten)]
    objects: ObjectsArgs,
}

impl CheckArgs {
    /// Prints a summary, and warnings to standard error. Fails with all errors.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let path = self.path.or(self.config);
        let name = self.stored.title().or_else(|| path.as_ref().map(|path| path.display().to_string()));
        let plan = ConfigArgs::only(path).or_stored(&self.stored, None, &self.objects.state.cluster)?;
        let mut warnings = plan.ineffective(Timestamp::now());
        if self.objects.is_given() {
            let objects = self.objects.read(&[&plan])?;
            warnings.extend(plan.unmatched(&objects.cluster, &objects.namespaces));
            warnings.extend(plan.mislabeled(&objects.cluster, objects.namespaces.iter().map(String::as_str)));
        }
        for warning in warnings {
            eprintln!("portcullis: warning: {}", sanitize(&warning.to_string()));
        }
        print_text(&format!("{}: {}\n{}", name.unwrap_or_default(), summary(&plan), changes(&plan)))?;
        Ok(ExitCode::from(exit::SUCCESS))
    }
}

/// A summary such as `profile baseline, maxAction Warn; checks that deny: 0 (for some writes: 2), warn: 3, audit: 0; overrides: 3`.
fn summary(plan: &Plan) -> String {
    let profile = plan.profile_name();
    let maximum = plan.max_action().map(|maximum| format!(", maxAction {}", maximum.name())).unwrap_or_default();
    let count = |wanted: Action| plan.checks().filter(|(_, action)| *action == wanted).count();
    let (deny, warn, audit) = (count(Action::Deny), count(Action::Warn), count(Action::Audit));
    let some = match plan.strictest().filter(|(_, strictest)| *strictest == Action::Deny).count() {
        all if all == deny => String::new(),
        all => format!(" (for some writes: {all})"),
    };
    let overrides = match plan.config().overrides.len() {
        0 => String::new(),
        count => format!("; overrides: {count}"),
    };
    format!("profile {profile}{maximum}; checks that deny: {deny}{some}, warn: {warn}, audit: {audit}{overrides}")
}

/// The maximum number of changed actions that are listed.
const LISTED: usize = 20;

/// The checks whose action for all writes is not that of the profile, one in a line; empty without any.
fn changes(plan: &Plan) -> String {
    let Config { profile, max_action, .. } = plan.config();
    let profile = Config { profile: profile.clone(), max_action: max_action.clone(), ..Config::default() };
    let profile = Plan::new(profile).expect("they are valid in the plan");
    let actions = |plan: &Plan| plan.checks().map(|(check, action)| (check.id, action)).collect::<BTreeMap<_, _>>();
    let [before, after] = [&profile, plan].map(actions);
    let ids: BTreeSet<&str> = before.keys().chain(after.keys()).copied().collect();
    let changed = ids.into_iter().filter_map(|id| {
        let [before, after] = [&before, &after].map(|actions| actions.get(id).copied().unwrap_or(Action::Off));
        (before != after).then(|| format!("  {id}  {} -> {}\n", before.name(), after.name()))
    });
    let changed: Vec<String> = changed.collect();
    if changed.is_empty() {
        return String::new();
    }
    let more = match changed.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("  and {more} more\n"),
    };
    format!("changed from the profile:\n{}{more}", changed[..changed.len().min(LISTED)].concat())
}
