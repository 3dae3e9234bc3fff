//! `portcullis lint`: the checks over manifests on disk.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use jiff::Timestamp;

use super::{ConfigArgs, exit};
use crate::checks::Plan;
use crate::cluster::Cluster;
use crate::files::{Cause, Folder};
use crate::kinds::ObjectRef;
use crate::report::{Report, text};
use crate::review::stored;
use crate::sentence::clean;

/// Judge manifests on disk as if each were applied to a cluster that holds the others.
#[derive(Debug, Args)]
pub struct Lint {
    /// Files, or folders of YAML and JSON.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Kinds that the files do not hold have no objects at all.
    #[arg(long)]
    complete: bool,
    #[command(flatten)]
    config: ConfigArgs,
    /// Judge by this profile, whatever the configuration says.
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
}

impl Lint {
    /// Prints what was found. The code is 1 where something would be refused, else 2 where something could not be read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let plan = self.config.plan(self.profile.as_deref())?;
        let mut folder = Folder::new(&self.paths, self.complete);
        let mut cluster = Cluster::default();
        for event in folder.refresh().context("the manifests cannot be read")? {
            cluster.apply(event);
        }
        super::manifests::say(&folder)?;
        let report = judge(&folder, &cluster, &plan);
        super::say_assumed(&report);
        print!("{}", text::render(&report));
        Ok(ExitCode::from(exit::of(&report)))
    }
}

/// What the checks say of all that the folder holds, and of what they cannot judge.
fn judge(folder: &Folder, cluster: &Cluster, plan: &Plan) -> Report {
    let hidden = folder.hidden().iter().map(|(_, count)| count).sum();
    let (mut report, now) = (Report { others: folder.others(), hidden, ..Report::default() }, Timestamp::now());
    let mut judged: BTreeSet<(&ObjectRef, &str)> = BTreeSet::new();
    for manifest in folder.manifests().filter(|manifest| manifest.place.kind.is_judged()) {
        if !judged.insert((&manifest.place, &manifest.json)) {
            continue;
        }
        let judgement = stored::judge_manifest(plan, cluster, &manifest.place, &manifest.json, now);
        report.add(&manifest.file.display().to_string(), &manifest.place, judgement);
    }
    let told: BTreeSet<&ObjectRef> = report.entries.iter().map(|entry| &entry.object).collect();
    let mut counted = Vec::new();
    for unread in folder.unread() {
        counted.push((unread.cause.label(), unread.file.display().to_string()));
        // An object that cannot be read has a finding that says so, unless that check is off.
        if unread.cause != Cause::WrongType || unread.object.as_ref().is_none_or(|object| !told.contains(object)) {
            eprintln!("portcullis: {}", clean(&unread.to_string()));
        }
    }
    counted.iter().for_each(|(cause, file)| report.add_unread(cause, file));
    super::say_ending(plan, &report, now);
    report
}
