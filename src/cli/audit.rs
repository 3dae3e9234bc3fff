//! `portcullis audit`: checks the objects of a live cluster, which are read once, with nothing installed.

use std::collections::BTreeSet;
use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;

use super::findings::{FindingArgs, Grouping};
use super::plan::PlanArgs;
use super::{ClusterArgs, listing};
use crate::files::UnreadCause;
use portcullis_core::checks::Plan;
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};
use portcullis_core::report::{Report, Source, UnreadDocument};
use portcullis_core::review::stored;

/// Check the objects of a live cluster. Reads only, and needs nothing installed.
#[derive(Debug, Args)]
pub struct AuditArgs {
    #[command(flatten)]
    cluster: ClusterArgs,
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    findings: FindingArgs,
}

impl AuditArgs {
    /// Prints the findings by namespace. The exit code is 1 if something would be denied, or else 3 if something could
    /// not be read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        self.findings.validate()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let plan = self.plan.plan(&self.cluster)?;
        let report = runtime.block_on(self.report(&plan))?;
        self.findings.print(report, &plan, Grouping::ByNamespace)
    }

    async fn report(&self, plan: &Plan) -> anyhow::Result<Report> {
        let validated = KindSet::VALIDATED;
        let named = if self.findings.has_namespaces() { KindSet::of(&[Kind::Namespace]) } else { KindSet::EMPTY };
        let kinds = validated.union(plan.needs()).union(named);
        let read =
            listing::read(&self.cluster, kinds, validated.union(named), "checks that need them report nothing").await?;
        let (mut report, now) = (Report { kinds: Some(read.requested()), ..Report::default() }, Timestamp::now());
        report.namespaces = read.namespaces();
        for object in read.objects.iter().filter(|object| object.object_ref.kind.is_validated()) {
            let outcome = stored::check(plan, &read.cluster, &object.object_ref, &object.json, now);
            report.add(Source::default(), &object.object_ref, outcome);
        }
        let reported: BTreeSet<ObjectRef> = report.with_findings().map(|entry| entry.object.clone()).collect();
        report.unread.extend(read.unread.iter().map(|object| UnreadDocument {
            source: Source::default(),
            cause: UnreadCause::WrongType.label(),
            message: format!("{object} cannot be decoded"),
            object: Some(object.clone()),
            is_partly_checked: reported.contains(object),
        }));
        Ok(report)
    }
}
