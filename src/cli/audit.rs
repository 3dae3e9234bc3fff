//! `portcullis audit`: the checks over what a cluster holds, read once, with nothing installed.

use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;

use super::{ClusterArgs, ConfigArgs, exit, listing};
use crate::files::UnreadCause;
use portcullis_core::checks::Plan;
use portcullis_core::kinds::{Kind, KindSet};
use portcullis_core::report::{Report, text};
use portcullis_core::review::stored;

/// Check the objects of a live cluster. Reads only, and needs nothing installed.
#[derive(Debug, Args)]
pub struct Audit {
    #[command(flatten)]
    cluster: ClusterArgs,
    #[command(flatten)]
    config: ConfigArgs,
    /// Use this profile instead of the one in the configuration.
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
}

impl Audit {
    /// Prints the findings by namespace. The exit code is 1 if something would be denied, or else 2 if something could not be read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let plan = self.config.plan(self.profile.as_deref())?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let report = runtime.block_on(self.report(&plan))?;
        super::say_ending(&plan, &report, Timestamp::now());
        super::say_assumed(&report);
        print!("{}", text::render_by_namespace(&report));
        Ok(ExitCode::from(exit::of(&report)))
    }

    async fn report(&self, plan: &Plan) -> anyhow::Result<Report> {
        let judged = Kind::ALL.into_iter().filter(|kind| kind.is_judged());
        let judged = judged.fold(KindSet::EMPTY, |all, kind| all.union(KindSet::of(&[kind])));
        let kinds = judged.union(plan.needs());
        let read = listing::read(&self.cluster, kinds, judged, "checks that need them report nothing").await?;
        let asked = read.kinds.iter().count();
        let readable = asked - read.forbidden.iter().count();
        let (mut report, now) = (Report { kinds: Some((asked, readable)), ..Report::default() }, Timestamp::now());
        for object in &read.objects {
            report.add(
                "",
                &object.object_ref,
                stored::judge(plan, &read.cluster, &object.object_ref, &object.json, now),
            );
        }
        read.unread.iter().for_each(|object| report.add_unread(UnreadCause::WrongType.label(), "", Some(object)));
        Ok(report)
    }
}
