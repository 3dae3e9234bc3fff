//! `portcullis audit`: the checks over what a cluster holds, read once, with nothing installed.

use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;

use super::{ClusterArgs, ConfigArgs, exit, listing};
use crate::checks::Plan;
use crate::kinds::{Kind, KindSet};
use crate::report::{Report, text};
use crate::review::stored;

/// Tell what would be refused or warned of in a live cluster; only reads.
#[derive(Debug, Args)]
pub struct Audit {
    #[command(flatten)]
    cluster: ClusterArgs,
    #[command(flatten)]
    config: ConfigArgs,
    /// Judge by this profile, whatever the configuration says.
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
}

impl Audit {
    /// Prints what was found, namespace by namespace. The code is 1 where something would be refused.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let plan = self.config.plan(self.profile.as_deref())?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let report = runtime.block_on(self.report(&plan))?;
        super::say_ending(&plan, &report);
        print!("{}", text::render_by_namespace(&report));
        Ok(ExitCode::from(if report.refused() == 0 { exit::CLEAN } else { exit::REFUSED }))
    }

    async fn report(&self, plan: &Plan) -> anyhow::Result<Report> {
        let judged = Kind::ALL.into_iter().filter(|kind| kind.is_judged());
        let judged = judged.fold(KindSet::EMPTY, |all, kind| all.union(KindSet::of(&[kind])));
        let kinds = judged.union(plan.needs());
        let (cluster, judged) = listing::read(&self.cluster, kinds, judged, "checks that need them are silent").await?;
        let (mut report, now) = (Report::default(), Timestamp::now());
        for object in judged {
            report.add("", &object.place, stored::judge(plan, &cluster, &object.place, &object.json, now));
        }
        Ok(report)
    }
}
