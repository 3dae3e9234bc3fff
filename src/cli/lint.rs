//! `portcullis lint`: the checks over manifests on disk.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use jiff::Timestamp;

use super::{ConfigArgs, exit};
use crate::cluster::Cluster;
use crate::files::Folder;
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
    /// Prints what was found. The code is 1 where something would be refused, 2 where something could not be read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let plan = self.config.plan(self.profile.as_deref())?;
        let mut folder = Folder::new(&self.paths, self.complete);
        let mut cluster = Cluster::default();
        for event in folder.refresh().context("the manifests cannot be read")? {
            cluster.apply(event);
        }
        let (mut report, now) = (Report { others: folder.others(), ..Report::default() }, Timestamp::now());
        for manifest in folder.manifests().filter(|manifest| manifest.place.kind.is_judged()) {
            let judgement = stored::judge_manifest(&plan, &cluster, &manifest.place, &manifest.json, now);
            report.add(&manifest.file.display().to_string(), &manifest.place, judgement);
        }
        for lookalike in folder.lookalikes() {
            let weight = if lookalike.is_of_our_groups() { "warning" } else { "note" };
            eprintln!("portcullis: {weight}: {}", clean(&lookalike.to_string()));
        }
        super::say_ending(&plan, &report);
        print!("{}", text::render(&report));
        let problems = folder.problems();
        for problem in &problems {
            eprintln!("portcullis: {}", problem.0);
        }
        Ok(ExitCode::from(match (problems.is_empty(), report.refused()) {
            (false, _) => exit::USAGE,
            (true, 0) => exit::CLEAN,
            (true, _) => exit::REFUSED,
        }))
    }
}
