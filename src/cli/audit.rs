//! `portcullis audit`: checks the objects of a live cluster, which are read once, with nothing installed.

use std::collections::BTreeSet;
use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;
use kube::Api;

use super::findings::{FindingArgs, Grouping};
use super::namespaced_name::parse_namespaced_name;
use super::{ClusterArgs, ConfigArgs, listing};
use crate::config_map;
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
    config: ConfigArgs,
    /// Use the configuration of the webhook, from the keys of this ConfigMap that end in `.yaml`, such as portcullis/portcullis.
    #[arg(long, value_name = "NAMESPACE/NAME", value_parser = parse_namespaced_name, conflicts_with = "config")]
    config_map: Option<(String, String)>,
    /// Use this profile instead of the one in the configuration.
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    #[command(flatten)]
    findings: FindingArgs,
}

impl AuditArgs {
    /// Prints the findings by namespace. The exit code is 1 if something would be denied, or else 3 if something could
    /// not be read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        self.findings.validate()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let plan = runtime.block_on(self.plan())?;
        let report = runtime.block_on(self.report(&plan))?;
        self.findings.print(report, &plan, Grouping::ByNamespace)
    }

    async fn plan(&self) -> anyhow::Result<Plan> {
        let profile = self.profile.as_deref();
        let Some((namespace, name)) = &self.config_map else { return self.config.plan(profile) };
        let client = self.cluster.client().await?;
        let content = config_map::read(&Api::namespaced(client, namespace), name).await?;
        let texts = content.texts(name).map_err(|error| anyhow::anyhow!("namespace {namespace}: {error}"))?;
        let named = |error: anyhow::Error| anyhow::anyhow!("ConfigMap {namespace}/{name}: {error:#}");
        self.config.plan_of(&config_map::files(texts), profile).map_err(named)
    }

    async fn report(&self, plan: &Plan) -> anyhow::Result<Report> {
        let validated = Kind::ALL.into_iter().filter(|kind| kind.is_validated());
        let validated = validated.fold(KindSet::EMPTY, |all, kind| all.union(KindSet::of(&[kind])));
        let kinds = validated.union(plan.needs());
        let read = listing::read(&self.cluster, kinds, validated, "checks that need them report nothing").await?;
        let requested = read.kinds.iter().count();
        let readable = requested - read.forbidden.iter().count();
        let (mut report, now) = (Report { kinds: Some((requested, readable)), ..Report::default() }, Timestamp::now());
        for object in &read.objects {
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
